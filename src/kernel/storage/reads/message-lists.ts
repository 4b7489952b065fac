// The statements of message lists.

import { MESSAGE_SETS } from '../../protocol/slots.ts'
import type { Sql, SqlValue } from '../engines/sql.ts'
import { HASH_KEY_BYTES } from '../migrations/024-narrow-messages.ts'
import { bytesOfToken, type ListKey, tokenOfKey } from './list-key.ts'
import type { PageRequest } from './page.ts'
import { IS_PUBLISHED, IS_PUBLISHED_CAST, isPublishedFid } from './published.ts'

/** Rows that one page looks at: about a millisecond. Without it filters that match little scan every row. */
export const MAX_SCANNED_ROWS = 4_000

export type FidList = {
  readonly fid: number
  readonly store: number
  /** Only these message types; by default all of the set. */
  readonly types?: readonly number[] | undefined
  /** Only messages that this key signed. */
  readonly signer?: Uint8Array | undefined
  /** Only slots that continue with these bytes after set and fid (reaction type, link type). */
  readonly slotPrefix?: Uint8Array | undefined
  /** Network seconds, both inclusive. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** The sort key of lists. */
export type MessageKey = {
  readonly timestamp: number
  readonly hash: Uint8Array
  readonly fid: number
}

export type ListOptions = {
  readonly publishedOnly: boolean
  /** Of `stored_message m`. */
  readonly columns: string
}

export type ListQuery = {
  readonly text: string
  readonly values: SqlValue[]
  /** The rows that a list with filters looks through; undefined without filters. */
  readonly scanned?: { readonly text: string; readonly values: SqlValue[]; readonly fid: number }
}

/** Conditions that are a range of the list's index, and conditions that filter its rows. */
function fidListConditions(
  { fid, store, types, signer, slotPrefix, from, to }: FidList,
  publishedOnly: boolean,
): { range: Filter[]; filters: Filter[] } {
  const range: Filter[] = [
    ['fid = ?', [fid]],
    ['store = ?', [store]],
    // All rows have the same author.
    ...(publishedOnly ? [[isPublishedFid('?'), [fid]] as Filter] : []),
    ...when(from, (seconds) => ['timestamp >= ?', [seconds]]),
    ...when(to, (seconds) => ['timestamp <= ?', [seconds]]),
  ]
  const filters: Filter[] = [
    // Moderation hides casts one by one.
    ...(publishedOnly && store === MESSAGE_SETS.casts ? [[IS_PUBLISHED_CAST, []] as Filter] : []),
    ...when(types, hasType),
    ...when(signer, (key) => ['m.signer = ?', [key]]),
    ...when(slotPrefix, (bytes) => [`substr(m.slot, 6, ${bytes.length}) = ?`, [bytes]]),
  ]
  return { range, filters }
}

const hasType = (types: readonly number[]): Filter => [
  `m.type in (${types.map(() => '?').join(', ')})`,
  types,
]

/** One author's messages of a set, of the rows that a page looks at. */
export function fidListQuery(
  list: FidList,
  page: PageRequest,
  { columns, publishedOnly }: ListOptions,
): ListQuery {
  const { comparison, direction, values } = authorKeyset(page)
  const { range, filters } = fidListConditions(list, publishedOnly)
  const scanned = `from stored_message where ${conditionsOf(range)} ${comparison}
    order by timestamp ${direction}, hash_key ${direction}`
  const scannedValues = [...valuesOf(range), ...values]
  return {
    text: `select ${columns}
      from (select id, timestamp, hash_key ${scanned} limit ${MAX_SCANNED_ROWS}) x
      join stored_message m on m.id = x.id
      ${filters.length === 0 ? '' : `where ${conditionsOf(filters)}`}
      order by x.timestamp ${direction}, x.hash_key ${direction} limit (? + 0)`,
    values: [...scannedValues, ...valuesOf(filters), page.size + 1],
    ...(filters.length > 0 && {
      scanned: { text: scanned, values: scannedValues, fid: list.fid },
    }),
  }
}

/**
 * Where a list goes on whose page is not full: after the last row that was looked at, unless the list has
 * ended. Only a list with filters can end early.
 */
export async function scannedTo(sql: Sql, { scanned }: ListQuery): Promise<Uint8Array | undefined> {
  if (!scanned) return undefined
  const [last] = await sql.all(
    `select timestamp, hash ${scanned.text} limit 1 offset ${MAX_SCANNED_ROWS - 1}`,
    scanned.values,
  )
  const key = last as Pick<MessageKey, 'timestamp' | 'hash'> | undefined
  return key && tokenOfKey({ ...key, fid: scanned.fid }, ['timestamp', 'hash'])
}

/** The page that is read of each of some lists: as far as it might be needed, so that pages of many lists are shorter. */
export function boundedPage(page: PageRequest, lists: number): PageRequest {
  const size = Math.min(page.size, Math.floor(MAX_SCANNED_ROWS / Math.max(1, lists)))
  return { ...page, size: Math.max(1, size) }
}

/** The messages with a target. */
export function targetListQuery(
  target: Uint8Array,
  page: PageRequest,
  { publishedOnly, columns }: ListOptions,
): ListQuery {
  const { comparison, direction, values } = keyset(page, ['timestamp', 'hash', 'fid'])
  return {
    text: `select ${columns} from stored_message m where target = ? ${publishedOnly ? IS_PUBLISHED : ''} ${comparison}
      order by timestamp ${direction}, hash ${direction}, fid ${direction} limit (? + 0)`,
    values: [target, ...values, page.size + 1],
  }
}

/** Casts that mention an account. */
export function mentionListQuery(
  mentioned: number,
  page: PageRequest,
  { publishedOnly, columns }: ListOptions,
): ListQuery {
  const { comparison, direction, values } = keyset(page, ['timestamp', 'hash', 'fid'], 'x.')
  return {
    text: `select ${columns} from mention x join stored_message m on m.id = x.id
      where x.mentioned = ? ${publishedOnly ? IS_PUBLISHED : ''} ${comparison}
      order by x.timestamp ${direction}, x.hash ${direction}, x.fid ${direction} limit (? + 0)`,
    values: [mentioned, ...values, page.size + 1],
  }
}

type Filter = [condition: string, parameters: readonly SqlValue[]]

const conditionsOf = (filters: readonly Filter[]): string =>
  filters.map(([condition]) => condition).join(' and ')

const valuesOf = (filters: readonly Filter[]): SqlValue[] =>
  filters.flatMap(([, values]) => [...values])

const when = <T>(value: T | undefined, filter: (value: T) => Filter): Filter[] =>
  value === undefined ? [] : [filter(value)]

function keyset(page: PageRequest, columns: readonly ListKey[], prefix = '') {
  const direction = page.reverse ? 'desc' : 'asc'
  if (!page.token) return { comparison: '', direction, values: [] as SqlValue[] }
  const names = columns.map((column) => prefix + column).join(', ')
  const marks = columns.map(() => '?').join(', ')
  return {
    comparison: `and (${names}) ${page.reverse ? '<' : '>'} (${marks})`,
    direction,
    values: bytesOfToken(page.token, columns),
  }
}

/** The condition for rows of an author's list after a token, and the order of the list. */
function authorKeyset({ token, reverse }: PageRequest) {
  const direction = reverse ? 'desc' : 'asc'
  if (!token) return { comparison: '', direction, values: [] }
  const [timestamp, hash] = bytesOfToken(token, ['timestamp', 'hash']) as [number, Uint8Array]
  return { direction, ...beyondMessage({ timestamp, hash }, reverse) }
}

/**
 * The messages of one author after (before, in reverse) this one. The range is that of the index, which may have
 * less of a hash; where that does not decide, the hash itself does.
 */
export function beyondMessage(
  { timestamp, hash }: Pick<MessageKey, 'timestamp' | 'hash'>,
  reverse = false,
  prefix = '',
): { comparison: string; values: SqlValue[] } {
  const begin = hash.subarray(0, HASH_KEY_BYTES)
  const [is, nearest, farthest] = reverse ? ['<', hash, begin] : ['>', begin, hash]
  return {
    comparison: `and (${prefix}timestamp, ${prefix}hash_key) ${is}= (?, ?)
      and (${prefix}timestamp <> ? or ${prefix}hash_key ${is} ? or ${prefix}hash ${is} ?)`,
    values: [timestamp, nearest, timestamp, farthest, hash],
  }
}

export function byListOrder(reverse = false) {
  const sign = reverse ? -1 : 1
  return (a: MessageKey, b: MessageKey) =>
    sign * (a.timestamp - b.timestamp || Buffer.compare(a.hash, b.hash) || a.fid - b.fid)
}
