// The tables of an export. Every format and the SQL views (migration 039) have these names and columns.

/**
 * integer: a whole number. text: may have zero bytes where it says so. hex: bytes as 0x and hex digits. time: a moment.
 * integers: a list. json: any JSON. flag: true or false.
 */
export type ColumnType = 'integer' | 'text' | 'hex' | 'time' | 'integers' | 'json' | 'flag'

export type Table = {
  readonly columns: Readonly<Record<string, ColumnType>>
  /** The columns that name a row. */
  readonly key: readonly string[]
  /** Whether people wrote texts of it freely, which may contain zero bytes. */
  readonly isFreeText?: true
}

/** The columns with which every table begins. `event_id` is null for what was no message, in an export of everything. */
const COMMON = { fid: 'integer', hash: 'hex', timestamp: 'time', event_id: 'integer' } as const

export const TABLES = {
  casts: {
    columns: {
      ...COMMON,
      text: 'text',
      parent_fid: 'integer',
      parent_hash: 'hex',
      parent_url: 'text',
      mentions: 'integers',
      mention_positions: 'integers',
      embeds: 'json',
      type: 'text',
    },
    key: ['hash'],
    isFreeText: true,
  },
  reactions: {
    columns: {
      ...COMMON,
      kind: 'text',
      target_fid: 'integer',
      target_hash: 'hex',
      target_url: 'text',
    },
    key: ['hash'],
    isFreeText: true,
  },
  links: { columns: { ...COMMON, type: 'text', target_fid: 'integer' }, key: ['hash'] },
  link_states: { columns: { ...COMMON, type: 'text', targets: 'integers' }, key: ['hash'] },
  user_data: {
    columns: { ...COMMON, field: 'text', value: 'text' },
    key: ['hash'],
    isFreeText: true,
  },
  verifications: {
    columns: { ...COMMON, address: 'hex', protocol: 'text', chain_id: 'integer' },
    key: ['hash'],
  },
  usernames: { columns: { ...COMMON, name: 'text', type: 'text', owner: 'hex' }, key: ['name'] },
  fids: { columns: { ...COMMON, custody: 'hex', recovery: 'hex' }, key: ['fid'] },
  keys: {
    columns: {
      ...COMMON,
      key: 'hex',
      state: 'text',
      app_fid: 'integer',
      added_at: 'time',
      removed_at: 'time',
      is_gasless: 'flag',
    },
    key: ['fid', 'key'],
  },
  storage: {
    columns: { ...COMMON, log_index: 'integer', units: 'integer', rented_at: 'time' },
    key: ['hash', 'log_index'],
  },
  removals: {
    columns: { ...COMMON, kind: 'text', reason: 'text', name: 'text' },
    key: ['event_id', 'hash', 'name'],
  },
} as const satisfies Record<string, Table>

export type TableName = keyof typeof TABLES
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]
export const tableOf = (name: TableName): Table => TABLES[name]

/** null: there is none. A time is in Unix seconds. */
export type Value = number | string | boolean | null | readonly number[] | readonly object[]
export type Row = Readonly<Record<string, Value>>

/** A row of a table. */
export type Item = { readonly table: TableName; readonly row: Row }

export const hexText = (bytes: Uint8Array | undefined): string | null =>
  bytes?.length ? `0x${Buffer.from(bytes).toString('hex')}` : null

const NUMBER_BYTES = 8

/** About how much memory a row takes, in bytes or characters. */
export const sizeOfRow = (row: Row): number =>
  Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length
    if (!Array.isArray(value)) return sum + NUMBER_BYTES
    return sum + value.reduce<number>((own, one) => own + sizeOfPart(one), 0)
  }, 0)

const sizeOfPart = (part: unknown): number =>
  typeof part === 'object' ? JSON.stringify(part).length : NUMBER_BYTES

/** Replaces zero bytes, which PostgreSQL and many readers of CSV refuse in texts. */
export const withoutZeroBytes = (text: string): string => text.replaceAll('\0', '\u{fffd}')

/** Where such texts are replaced, this column says whether a row had any. */
export const ZERO_BYTES = 'has_zero_bytes'

export const hasZeroBytes = (row: Row): boolean =>
  Object.values(row).some((value) =>
    typeof value === 'string'
      ? value.includes('\0')
      : Array.isArray(value) && JSON.stringify(value).includes('\\u0000'),
  )
