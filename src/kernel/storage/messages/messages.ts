import { NO_BYTES } from '../../protocol/sizes.ts'
import { linksByTargetPrefix, MESSAGE_SETS } from '../../protocol/slots.ts'
import { MessageType } from '../../protocol/wire/message_pb.js'
import type { Engine } from '../engines/engine.ts'
import {
  type InputColumns,
  type InputRow,
  insertStatement,
  type ListStatement,
  listStatement,
  type Row,
  type Sql,
  type SqlValue,
} from '../engines/sql.ts'
import type { Changes } from '../engines/versions.ts'
import { CAST_KEY_BYTES } from '../migrations/024-narrow-messages.ts'
import { listReader, type MessageShape } from '../reads/list-reader.ts'
import { byListOrder } from '../reads/message-lists.ts'
import { IS_PUBLISHED } from '../reads/published.ts'
import { recordActivity } from '../tables/activity.ts'
import { countRows, rowCount } from '../tables/row-counts.ts'
import { queryEach, rowsWith } from '../tables/table.ts'
import { insertBeside, removeBeside } from './beside-messages.ts'
import { insertMessages } from './narrow-messages.ts'
import type { StoredMessage } from './stored-message.ts'

export { type FidList, MAX_SCANNED_ROWS } from '../reads/message-lists.ts'
export type { StoredMessage } from './stored-message.ts'

const { CAST_ADD } = MessageType

export type MessageReader = ReturnType<typeof readerOf>

/** Reads that leave out hidden messages. */
type PublishedMessages = Pick<
  MessageReader,
  | 'bySlot'
  | 'bySlots'
  | 'castByHash'
  | 'castsByHashes'
  | 'listByFid'
  | 'listByTargets'
  | 'targetsWithPrefix'
  | 'listByMention'
>

export type NewMessage = StoredMessage & { readonly mentions: readonly number[] }

/** The columns that a message is read from, as `stored_message m`: numbers, and all byte strings in one. */
export const PACKED_MESSAGE = `m.id, m.fid, m.store, m.type, m.timestamp, m.form,
  length(m.target) as target_length, length(m.data) as data_length, m.packed`
const PACKED_TYPES = {
  id: 'bigint',
  fid: 'bigint',
  store: 'bigint',
  type: 'bigint',
  timestamp: 'bigint',
  form: 'bigint',
  target_length: 'bigint',
  data_length: 'bigint',
  packed: 'bytea',
} as const

/** A condition on casts `m` that their index answers: their hash is this. */
export const hasHash = (
  hash: string,
  beginning = `substr(${hash}, 1, ${CAST_KEY_BYTES})`,
): string =>
  `m.type = ${CAST_ADD} and substr(m.hash, 1, ${CAST_KEY_BYTES}) = ${beginning} and m.hash = ${hash}`

/** The same for a hash that is given as parameters. */
export const IS_CAST = hasHash('?', '?')
export const castValues = (hash: Uint8Array): SqlValue[] => [hash.subarray(0, CAST_KEY_BYTES), hash]

const LENGTHS = { hash: 20, signer: 32, signature: 64 } as const

const bySlotsText = `select ${PACKED_MESSAGE} from input i join stored_message m on m.slot = i.slot`
const BY_SLOTS = listStatement({ slot: 'bytea' }, bySlotsText)
const PUBLISHED_BY_SLOTS = listStatement(
  { slot: 'bytea' },
  `${bySlotsText} where true ${IS_PUBLISHED}`,
)
const BY_IDS = listStatement(
  { id: 'bigint' },
  `select ${PACKED_MESSAGE} from input i join stored_message m on m.id = i.id`,
)
const OF_SETS = listStatement(
  { fid: 'bigint', store: 'bigint' },
  `select ${PACKED_MESSAGE} from input i join stored_message m on m.fid = i.fid and m.store = i.store`,
)
const USAGE = listStatement(
  { fid: 'bigint' },
  'select u.fid, u.store, u.count from input i join usage u on u.fid = i.fid',
)
// Walks the order index one row at a time, as many steps as there are rows to find.
const OLDEST = listStatement(
  { fid: 'bigint', store: 'bigint', excess: 'bigint', key: 'bytea' },
  `, recursive_walk(fid, store, remaining, timestamp, key, id) as (
     select fid, store, excess, cast(-1 as bigint), key, cast(0 as bigint) from input
     union all
     select m.fid, m.store, w.remaining - 1, m.timestamp, m.hash_key, m.id
       from recursive_walk w join stored_message m on m.id = (
         select n.id from stored_message n
          where n.fid = w.fid and n.store = w.store and (n.timestamp, n.hash_key) > (w.timestamp, w.key)
          order by n.timestamp, n.hash_key limit 1)
      where w.remaining > 0)
   select ${PACKED_MESSAGE} from recursive_walk w join stored_message m on m.id = w.id`,
)
const INSERT_MENTION = insertStatement('mention', {
  mentioned: 'bigint',
  timestamp: 'bigint',
  hash: 'bytea',
  fid: 'bigint',
  id: 'bigint',
})
const DELETE = listStatement(
  { id: 'bigint' },
  'delete from message where id in (select id from input)',
)
const DELETE_MENTIONS = listStatement(
  { id: 'bigint' },
  'delete from mention where id in (select id from input) returning mentioned',
)
const ADD_USAGE = insertStatement(
  'usage',
  { fid: 'bigint', store: 'bigint', count: 'bigint' },
  { rest: 'on conflict (fid, store) do update set count = usage.count + excluded.count' },
)

/** Reads of everything that is stored: for rules, jobs and checks. */
export const messageReader = (sql: Sql): MessageReader => readerOf(sql, false)

/** The same reads without hidden messages. */
export const publishedMessageReader = (sql: Sql): PublishedMessages => readerOf(sql, true)

/** The size of a message for quotas and pages: its data, hash, key and signature. */
export const storedBytes = ({ data }: { readonly data: { readonly length: number } }): number =>
  data.length + LENGTHS.hash + LENGTHS.signer + LENGTHS.signature

const SHAPE: MessageShape<StoredMessage> = {
  columns: PACKED_MESSAGE,
  types: PACKED_TYPES,
  unpack: unpackMessage,
  bytesOf: storedBytes,
}

const castByHash = (published: string) =>
  `select ${PACKED_MESSAGE} from stored_message m where ${IS_CAST} ${published}`
const CAST_BY_HASH = castByHash('')
const PUBLISHED_CAST_BY_HASH = castByHash(IS_PUBLISHED)
const castsByHashes = (published: string) =>
  listStatement(
    { hash: 'bytea' },
    `select ${PACKED_MESSAGE} from input i join stored_message m on ${hasHash('i.hash')} ${published}`,
  )
const CASTS_BY_HASHES = castsByHashes('')
const PUBLISHED_CASTS_BY_HASHES = castsByHashes(IS_PUBLISHED)
const SCAN = `select ${PACKED_MESSAGE} from stored_message m where id > ? order by id limit (? + 0)`
const NEWEST = `select ${PACKED_MESSAGE} from stored_message m order by id desc limit (? + 0)`

function readerOf(sql: Sql, publishedOnly: boolean) {
  const each = async <C extends InputColumns>(
    statement: ListStatement<C>,
    rows: readonly InputRow<C>[],
  ) => (await sql.each(statement, rows)).map(unpackMessage)
  return {
    ...listReader(sql, SHAPE, publishedOnly),
    bySlots: (slots: readonly Uint8Array[]) =>
      each(publishedOnly ? PUBLISHED_BY_SLOTS : BY_SLOTS, rowsWith('slot', slots)),
    /** Those of these messages that are stored, in any order. */
    byIds: (ids: readonly number[]) => each(BY_IDS, rowsWith('id', ids)),
    /** A cast by its hash, of any author. */
    async castByHash(hash: Uint8Array): Promise<StoredMessage | undefined> {
      const text = publishedOnly ? PUBLISHED_CAST_BY_HASH : CAST_BY_HASH
      const [row] = await sql.all(text, castValues(hash))
      return row && unpackMessage(row)
    },
    /** The stored casts with these hashes, in any order. */
    castsByHashes: (hashes: readonly Uint8Array[]) =>
      each(publishedOnly ? PUBLISHED_CASTS_BY_HASHES : CASTS_BY_HASHES, rowsWith('hash', hashes)),
    /** The distinct target keys that begin with these bytes, at most `limit`. */
    targetsWithPrefix: (prefix: Uint8Array, limit: number) => targetsWithPrefix(sql, prefix, limit),
    /** The oldest `excess` messages of each author and set, in list order. */
    async oldest(lists: readonly { fid: number; store: number; excess: number }[]) {
      const rows = lists.map((list) => ({ ...list, key: NO_BYTES }))
      return (await each(OLDEST, rows)).sort(byListOrder())
    },
    /** The number of messages of each author in each set. */
    usage: (fids: readonly number[]): Promise<{ fid: number; store: number; count: number }[]> =>
      queryEach(sql, USAGE, rowsWith('fid', [...new Set(fids)])),
    /** All messages of these authors and sets, in no order. For sets that storage limits keep small. */
    ofSets: (sets: readonly { fid: number; store: number }[]) => each(OF_SETS, sets),
    /** Messages in id order, for jobs that visit them all. */
    scan: async (afterId: number, limit: number) =>
      (await sql.all(SCAN, [afterId, limit])).map(unpackMessage),
    /** The newest first, of every type. */
    newest: async (limit: number) => (await sql.all(NEWEST, [limit])).map(unpackMessage),
    count: () => rowCount(sql, 'message'),
  }
}

/** Finds one target after the other: `distinct` would read all messages with a target. */
async function targetsWithPrefix(
  sql: Sql,
  prefix: Uint8Array,
  limit: number,
): Promise<Uint8Array[]> {
  const targets: Uint8Array[] = []
  const end = successor(prefix)
  for (let after: Uint8Array = prefix; targets.length < limit; ) {
    const [row] = await sql.all(
      'select target from message where target > ? and target < ? order by target limit 1',
      [after, end],
    )
    if (!row) break
    after = row.target as Uint8Array
    targets.push(after)
  }
  return targets
}

export const messageWriter = (
  sql: Sql,
  engine: Engine,
  changes: Pick<Changes<unknown>, 'author' | 'target' | 'mention'>,
) => ({
  ...messageReader(sql),
  /** Stores messages whose slots are free, with their mentions, and counts them. */
  async insert(list: readonly NewMessage[]): Promise<void> {
    if (list.length === 0) return
    noteLists(list, changes)
    const mentions = list.flatMap((message) =>
      message.mentions.map((mentioned) => ({ ...message, mentioned })),
    )
    for (const { mentioned } of mentions) changes.mention(mentioned)
    await Promise.all([
      insertMessages(sql, engine, list),
      queryEach(sql, INSERT_MENTION, mentions),
      sql.each(ADD_USAGE, counted(list, 1)),
      countRows(sql, 'message', list.length),
      recordActivity(sql, list),
      ...insertBeside(sql, list),
    ])
  },
  /** Removes messages with their mentions, and uncounts them. */
  async remove(list: readonly StoredMessage[]): Promise<void> {
    if (list.length === 0) return
    noteLists(list, changes)
    const [mentions] = await Promise.all([
      queryEach<{ mentioned: number }, { id: 'bigint' }>(sql, DELETE_MENTIONS, list),
      // Before those that an insertion at the same time adds: a newer message may take the place of a removed one.
      ...removeBeside(sql, list),
      sql.each(DELETE, list),
      sql.each(ADD_USAGE, counted(list, -1)),
      countRows(sql, 'message', -list.length),
    ])
    for (const { mentioned } of mentions) changes.mention(mentioned)
  },
})

/** Notes the lists in which the messages are. Links of all types to a fid are one list, because a read may ask for all. */
function noteLists(
  list: readonly StoredMessage[],
  changes: Pick<Changes<unknown>, 'author' | 'target'>,
): void {
  for (const { fid, store, target } of list) {
    changes.author(fid)
    if (!target) continue
    changes.target(store === MESSAGE_SETS.links ? target.subarray(0, LINKS_PREFIX_BYTES) : target)
  }
}

const LINKS_PREFIX_BYTES = linksByTargetPrefix(0).length

/** A message from a row of PACKED_MESSAGE. */
export function unpackMessage(row: Row): StoredMessage {
  const packed = row.packed as Uint8Array
  let at = 0
  const take = (length: number) => {
    at += length
    return packed.subarray(at - length, at)
  }
  const hash = take(LENGTHS.hash)
  const signer = take(LENGTHS.signer)
  const signature = take(LENGTHS.signature)
  const target = row.target_length === null ? null : take(row.target_length as number)
  const data = take(row.data_length as number)
  return {
    id: row.id as number,
    fid: row.fid as number,
    store: row.store as number,
    type: row.type as number,
    timestamp: row.timestamp as number,
    hash,
    slot: packed.subarray(at),
    target,
    signer,
    signature,
    form: row.form as number,
    data,
  }
}

/** Above the number of every set. */
const MAX_STORES = 256

/** The change of each (fid, set) count, one row each, so that one statement applies all of them. */
function counted(list: readonly StoredMessage[], step: 1 | -1) {
  // A number, since a map makes each new string unique first.
  const counts = new Map<number, { fid: number; store: number; count: number }>()
  for (const { fid, store } of list) {
    const key = fid * MAX_STORES + store
    const entry = counts.get(key) ?? { fid, store, count: 0 }
    entry.count += step
    counts.set(key, entry)
  }
  return [...counts.values()].sort((a, b) => a.fid - b.fid || a.store - b.store)
}

/** The smallest byte string above everything that begins with `prefix` (which is not all 0xff). */
function successor(prefix: Uint8Array): Uint8Array {
  const last = prefix.findLastIndex((byte) => byte !== 0xff)
  const next = prefix.slice(0, last + 1)
  next[last]!++
  return next
}
