// The tables of an export: the only place that says which there are, and their columns. The files of every format, the
// tables in PostgreSQL, the manifest and docs/export-tables.md are made from it; the SQL views (migration 61) have columns
// of it, which a test compares.

import type { ColumnType, Value } from './columns.ts'

/** Of the tables and columns; it changes with any of them. */
export const TABLES_VERSION = 2

export type Table = {
  readonly what: string
  readonly columns: Readonly<Record<string, ColumnType>>
  /** A sentence about each column that its name does not explain. */
  readonly notes?: Readonly<Record<string, string>>
  /** The columns that name a row. */
  readonly key: readonly string[]
  /** Whether people wrote texts of it freely, which may contain zero bytes. */
  readonly isFreeText?: true
}

/** The columns with which every table begins. `event_id` is null for what was no message, in an export of everything. */
const COMMON = { fid: 'integer', hash: 'hex', timestamp: 'time', event_id: 'integer' } as const

export const COMMON_NOTES: Readonly<Record<keyof typeof COMMON, string>> = {
  fid: 'the account that the row belongs to',
  hash: 'of the message, or of the transaction in `fids`, `keys` and `storage`',
  timestamp: 'when it was said, or the time of the block',
  event_id: 'the event that reported it; null in an export of everything for what was no message',
}

export const TABLES = {
  casts: {
    what: 'What people say.',
    columns: {
      ...COMMON,
      text: 'text',
      parent_fid: 'integer',
      parent_hash: 'hex',
      parent_url: 'text',
      mentions: { list: 'integer' },
      mention_positions: { list: 'integer' },
      embeds: { list: { url: 'text', fid: 'integer', hash: 'hex' } },
      type: 'text',
    },
    notes: {
      parent_fid: 'with `parent_hash`: the cast that it answers',
      parent_url: 'the channel or page that it is below',
      mentions: 'fids, in the order of `mention_positions`',
      mention_positions: 'where each mention stands, in bytes of UTF-8',
      embeds: 'either `url`, or `fid` and `hash` of a cast; the others are null',
      type: '`cast`, `long_cast` or `ten_k_cast`',
    },
    key: ['hash'],
    isFreeText: true,
  },
  reactions: {
    what: 'Likes and recasts.',
    columns: {
      ...COMMON,
      kind: 'text',
      target_fid: 'integer',
      target_hash: 'hex',
      target_url: 'text',
    },
    notes: {
      kind: '`like` or `recast`',
      target_fid: 'with `target_hash`: the cast; both null for a URL',
    },
    key: ['hash'],
    isFreeText: true,
  },
  links: {
    what: 'Follows and other links between accounts.',
    columns: { ...COMMON, type: 'text', target_fid: 'integer' },
    notes: { type: '`follow`, `block`, …' },
    key: ['hash'],
  },
  link_states: {
    what: 'All links of a type in one message.',
    columns: { ...COMMON, type: 'text', targets: { list: 'integer' } },
    notes: { targets: 'fids' },
    key: ['hash'],
  },
  user_data: {
    what: 'Entries of profiles.',
    columns: { ...COMMON, field: 'text', value: 'text' },
    notes: { field: '`pfp`, `display`, `bio`, `url`, `username`, `location`, …' },
    key: ['hash'],
    isFreeText: true,
  },
  verifications: {
    what: 'Addresses that accounts have proved to own.',
    columns: { ...COMMON, address: 'hex', protocol: 'text', chain_id: 'integer' },
    notes: {
      protocol: '`ethereum` or `solana`',
      chain_id: 'of the chain of a contract wallet; 0 for a key',
    },
    key: ['hash'],
  },
  usernames: {
    what: 'Names and who holds them.',
    columns: { ...COMMON, name: 'text', type: 'text', owner: 'hex' },
    notes: {
      hash: 'null for an fname, and for a name that a [mirror](mirror.md) knows by the word of its source alone',
      type: '`fname`, `ens_l1` or `basename`',
      owner: 'the address that signed',
    },
    key: ['name'],
  },
  fids: {
    what: 'Accounts.',
    columns: { ...COMMON, custody: 'hex', recovery: 'hex' },
    notes: {
      timestamp: 'of the registration',
      custody: 'the address that owns the fid',
      recovery: 'the address that can move it',
    },
    key: ['fid'],
  },
  keys: {
    what: 'Keys that may sign for accounts, and those that were removed.',
    columns: {
      ...COMMON,
      key: 'hex',
      state: 'text',
      app_fid: 'integer',
      added_at: 'time',
      removed_at: 'time',
      is_gasless: 'flag',
    },
    notes: {
      key: 'the public key',
      state: '`active` or `removed`',
      app_fid: 'the app that asked for it',
      is_gasless: 'whether a message added it and no transaction',
    },
    key: ['fid', 'key'],
  },
  storage: {
    what: 'Rents of storage.',
    columns: { ...COMMON, log_index: 'integer', units: 'integer', rented_at: 'time' },
    notes: { log_index: 'of the event in its block' },
    key: ['hash', 'log_index'],
  },
  removals: {
    what: 'What is gone, with `--since` only.',
    columns: { ...COMMON, kind: 'text', reason: 'text', name: 'text' },
    notes: {
      hash: 'of the message that is gone; null for a name without a message',
      event_id: 'the event that removed it',
      kind: 'the table',
      reason: '`deleted` by its author, `replaced`, `pruned` or `revoked`',
      name: 'of `usernames`',
    },
    key: ['event_id', 'hash', 'name'],
  },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]
export const tableOf = (name: TableName): Table => TABLES[name]

export type Row = Readonly<Record<string, Value>>

/** A row of a table. */
export type Item = { readonly table: TableName; readonly row: Row }

export const hexText = (bytes: Uint8Array | undefined): string | null =>
  bytes?.length ? `0x${Buffer.from(bytes).toString('hex')}` : null

const NUMBER_BYTES = 8

/** Of an object and of the strings and lists in it, beside what is in them. */
export const ROW_BYTES = 256

/** About how much memory a row takes. */
export const sizeOfRow = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length
    if (!Array.isArray(value)) return sum + NUMBER_BYTES
    return sum + value.reduce<number>((own, one) => own + sizeOfPart(one), 0)
  }, ROW_BYTES)

const sizeOfPart = (part: unknown): number =>
  typeof part === 'object' ? JSON.stringify(part).length : NUMBER_BYTES

/** Replaces zero bytes in a text, or in all texts of a list or object: PostgreSQL and many readers of CSV refuse them. */
export function withoutZeroBytes<T>(value: T): T
export function withoutZeroBytes(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\u{fffd}')
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutZeroBytes)
  const entries = Object.entries(value).map(([name, own]) => [name, withoutZeroBytes(own)])
  return Object.fromEntries(entries)
}

/** Where such texts are replaced, this column says whether a row had any. */
export const ZERO_BYTES = 'has_zero_bytes'

export const hasZeroBytes = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.values(value).some(hasZeroBytes)
