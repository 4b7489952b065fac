import type { Sql } from '../engines/sql.ts'
import { PACKED_MESSAGE, unpackMessage } from '../messages/messages.ts'
import type { StoredMessage } from '../messages/stored-message.ts'
import { CHAIN_EVENTS, type EventKey } from '../tables/accounts.ts'
import { NAME_PROOFS } from '../tables/name-proofs.ts'
import { IS_PUBLISHED } from './published.ts'

// Reads of whole tables in the order of an index, a page at a time: each page is a statement of its own, so that a
// long export holds no snapshot and stands in nobody's way.

const MESSAGES = `select ${PACKED_MESSAGE} from stored_message m
  where m.id > ? and m.id <= ? ${IS_PUBLISHED} order by m.id limit (? + 0)`
const MESSAGES_OF = `select ${PACKED_MESSAGE}, m.hash_key as hash_key from stored_message m
  where m.fid = ? and m.store = ? and (m.timestamp, m.hash_key) > (?, ?) and m.id <= ? ${IS_PUBLISHED}
  order by m.timestamp, m.hash_key limit (? + 0)`

/** Where a page of one author's messages of one set ended. */
export type AuthorPosition = { readonly timestamp: number; readonly hashKey: Uint8Array }

export const exportReader = (sql: Sql) => ({
  /** The newest migration of the data. */
  async schema(): Promise<number> {
    const [row] = await sql.all('select max(id) as schema from schema_migration')
    return Number(row?.schema ?? 0)
  },
  /** Published messages by id. */
  messages: async (afterId: number, untilId: number, limit: number): Promise<StoredMessage[]> =>
    (await sql.all(MESSAGES, [afterId, untilId, limit])).map(unpackMessage),
  /** Published messages of an author and a set, in list order. */
  async messagesOf(
    { fid, store }: { readonly fid: number; readonly store: number },
    { timestamp, hashKey }: AuthorPosition,
    untilId: number,
    limit: number,
  ): Promise<{ messages: StoredMessage[]; end: AuthorPosition | undefined }> {
    const rows = await sql.all(MESSAGES_OF, [fid, store, timestamp, hashKey, untilId, limit])
    const last = rows.length < limit ? undefined : rows.at(-1)!
    return {
      messages: rows.map(unpackMessage),
      end: last && {
        timestamp: last.timestamp as number,
        hashKey: last.hash_key as Uint8Array,
      },
    }
  },
  /** On-chain events by fid. */
  chainEvents: ({ fid, type, block_number, log_index }: EventKey, limit: number) =>
    CHAIN_EVENTS.select(
      sql,
      `where (fid, type, block_number, log_index) > (?, ?, ?, ?)
       order by fid, type, block_number, log_index limit (? + 0)`,
      [fid, type, block_number, log_index, limit],
    ),
  chainEventsOf: (fids: readonly number[]) => CHAIN_EVENTS.findBy(sql, 'fid', fids),
  /** Holders of names of the registry, by name. */
  names: (after: Uint8Array, limit: number) =>
    NAME_PROOFS.select(sql, 'where name > ? order by name limit (? + 0)', [after, limit]),
})
