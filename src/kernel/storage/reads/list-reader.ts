import type { BundledColumns, Row, Sql } from '../engines/sql.ts'
import { type ListKey, tokenOfKey } from './list-key.ts'
import {
  boundedPage,
  byListOrder,
  type FidList,
  fidListQuery,
  type ListQuery,
  type MessageKey,
  mentionListQuery,
  scannedTo,
  targetListQuery,
} from './message-lists.ts'
import { type Page, type PageRequest, pageOf } from './page.ts'
import { IS_PUBLISHED } from './published.ts'

/** The columns that are read of a message, and the object that is made of them. */
export type MessageShape<M> = {
  /** Of `stored_message m`. */
  readonly columns: string
  /** Their names in a row. */
  readonly types: BundledColumns
  unpack(row: Row): M
  /** The size by which pages are bounded. */
  bytesOf(message: M): number
}

/** Messages by slot and in lists. */
export type ListReader<M> = {
  bySlot(slot: Uint8Array): Promise<M | undefined>
  /**
   * One author's messages by (timestamp, hash); the token is those 24 bytes. Looks at MAX_SCANNED_ROWS at
   * most, so a page of a list with filters may have fewer items than asked for, or none, and a token.
   */
  listByFid(list: FidList, page: PageRequest): Promise<Page<M>>
  /** Messages with any of the targets, by (timestamp, hash, author); the token is those 28 bytes. */
  listByTargets(targets: readonly Uint8Array[], page: PageRequest): Promise<Page<M>>
  listByMention(mentioned: number, page: PageRequest): Promise<Page<M>>
}

export function listReader<M extends MessageKey>(
  sql: Sql,
  shape: MessageShape<M>,
  publishedOnly: boolean,
): ListReader<M> {
  const { columns, types, unpack, bytesOf } = shape
  const options = { publishedOnly, columns }
  const published = publishedOnly ? IS_PUBLISHED : ''
  // The same text each time: to look for the prepared statement of a new one takes a microsecond.
  const bySlot = `select ${columns} from stored_message m where slot = ? ${published}`
  const selectList = async ({ text, values }: ListQuery) =>
    (await sql.bundled({ columns: types, text }, values)).map(unpack)
  const page = (rows: M[], { size }: PageRequest, key: readonly ListKey[]) =>
    pageOf(rows, size, (row) => tokenOfKey(row, key), bytesOf)

  return {
    async bySlot(slot) {
      const [row] = await sql.all(bySlot, [slot])
      return row && unpack(row)
    },
    async listByFid(list, request) {
      const query = fidListQuery(list, request, options)
      const { items, next } = page(await selectList(query), request, ['timestamp', 'hash'])
      return { items, next: next ?? (await scannedTo(sql, query)) }
    },
    async listByTargets(targets, request) {
      const bounded = boundedPage(request, targets.length)
      const lists = await Promise.all(
        targets.map((target) => selectList(targetListQuery(target, bounded, options))),
      )
      const rows = lists.length === 1 ? lists[0]! : lists.flat().sort(byListOrder(request.reverse))
      return page(rows, bounded, ['timestamp', 'hash', 'fid'])
    },
    async listByMention(mentioned, request) {
      const query = mentionListQuery(mentioned, request, options)
      return page(await selectList(query), request, ['timestamp', 'hash', 'fid'])
    },
  }
}
