import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

// Views with columns of what messages say, for tools that speak SQL: see docs/export.md. A message is stored as the
// bytes that were signed, so the views read the fields of protobuf from them. Both engines run the same text but for the
// words below, and no function has to be installed.

const EPOCH_SECONDS = 1_609_459_200
/** Bytes of the longest varint. */
const VARINT_BYTES = 10
/** Bytes of a varint that numbers are read from: fids and enums have 32 bits. */
const NUMBER_BYTES = 5

type Words = {
  /** The byte at a position, from 1, of bytes. */
  readonly byte: (bytes: string, at: string) => string
  /** The same in `d` of the recursive query, whose `t` is `table`. */
  readonly byteIn: (at: string) => string
  readonly table: string
  readonly hex: (bytes: string) => string
  readonly text: (bytes: string) => string
  /** A moment, of Unix seconds. */
  readonly time: (seconds: string) => string
  readonly none: string
}

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const BYTE_TABLE = `x'${ALL_BYTES.join('')}'`
const SQLITE: Words = {
  byte: (bytes, at) => `(instr(${BYTE_TABLE}, substr(${bytes}, ${at}, 1)) - 1)`,
  byteIn: (at) => `(instr(t, substr(d, ${at}, 1)) - 1)`,
  table: BYTE_TABLE,
  hex: (bytes) => `('0x' || lower(hex(${bytes})))`,
  text: (bytes) => `cast(${bytes} as text)`,
  time: (seconds) => `strftime('%Y-%m-%dT%H:%M:%SZ', ${seconds}, 'unixepoch')`,
  none: "x''",
}
const POSTGRES: Words = {
  byte: (bytes, at) => `get_byte(${bytes}, ${at} - 1)`,
  byteIn: (at) => `get_byte(d, ${at} - 1)`,
  table: '0',
  hex: (bytes) => `('0x' || encode(${bytes}, 'hex'))`,
  // Texts have no zero bytes here: U+FFFD stands for them.
  text: (bytes) =>
    `convert_from(decode(replace(regexp_replace(encode(${bytes}, 'hex'), '(..)', ' \\1', 'g'), ' 00', ' efbfbd'), 'hex'), 'UTF8')`,
  time: (seconds) => `to_timestamp(${seconds})`,
  none: "''::bytea",
}

/**
 * Earlier versions created them in migration 39. SQLite parses all views again after each statement that changes a table, so
 * they are created last. A later migration that changes what they read drops them first, and this one gets a new number
 * after it. On PostgreSQL `create or replace` keeps what operators have granted on them.
 */
export const SQL_VIEW_MIGRATION = ({ engine }: Dialect): string[] =>
  engine === 'sqlite'
    ? views(SQLITE).flatMap(([name, text]) => [
        `drop view if exists ${name}`,
        `create view ${text}`,
      ])
    : views(POSTGRES).map(([, text]) => `create or replace view ${text}`)

function views(words: Words): [name: string, text: string][] {
  const { hex, text, time } = words
  const { bytesOf, numberOf } = fieldReader(words)
  const u32 = (bytes: string, at: number) =>
    [0, 1, 2, 3]
      .map((i) => `(cast(${words.byte(bytes, `${at + i}`)} as bigint) * ${256 ** (3 - i)})`)
      .join(' + ')
  /** Of a target key: 1 and a cast, or 2 and the hash of a URL. */
  const ofCast = (at: number, value: string) =>
    `case when ${words.byte('m.target', `${at}`)} = 1 then ${value} end`
  const textOf = (body: number, field: number) => text(bytesOf(body, field))
  const common = `m.fid, ${hex('m.hash')} as hash, ${time(`m.timestamp + ${EPOCH_SECONDS}`)} as timestamp, m.id as event_id`
  const view = (name: string, condition: string, columns: string): [string, string] => [
    name,
    `${name} as select ${common}, ${columns} from message m where ${condition} ${IS_PUBLISHED}`,
  ]
  const entry = (field: string) =>
    `(select d.value from sql_user_data d where d.fid = c.fid and d.field = '${field}') as ${field}`
  const parentUrl = `case when m.target is not null and ${words.byte('m.target', '2')} = 2 then ${textOf(5, 7)} end`
  const hasParent = (value: string) => `case when m.target is not null then ${value} end`
  return [
    view(
      'sql_casts',
      'm.type = 1',
      `${textOf(5, 4)} as text,
       ${hasParent(ofCast(2, u32('m.target', 3)))} as parent_fid,
       ${hasParent(ofCast(2, hex('substr(m.target, 7, 20)')))} as parent_hash,
       ${parentUrl} as parent_url`,
    ),
    view(
      'sql_reactions',
      'm.type = 3',
      `case ${words.byte('m.target', '2')} when 2 then 'recast' else 'like' end as kind,
       ${ofCast(3, u32('m.target', 4))} as target_fid,
       ${ofCast(3, hex('substr(m.target, 8, 20)'))} as target_hash,
       case when ${words.byte('m.target', '3')} = 2 then ${textOf(7, 3)} end as target_url`,
    ),
    view(
      'sql_links',
      'm.type = 5',
      `${textOf(14, 1)} as type, ${u32('m.target', 2)} as target_fid`,
    ),
    view(
      'sql_user_data',
      'm.store = 4 and m.type = 11',
      `case ${numberOf(12, 1)} ${Object.entries(FIELDS)
        .map(([number, name]) => `when ${number} then '${name}'`)
        .join(' ')} end as field, ${textOf(12, 2)} as value`,
    ),
    [
      'sql_users',
      `sql_users as select c.fid, ${hex('c.address')} as custody, ${USER_COLUMNS.map(entry).join(', ')}
       from custody c where (select 1 from account_moderation a where a.fid = c.fid and a.hidden = 1) is null`,
    ],
  ]
}

const IS_PUBLISHED = `and (select 1 from account_moderation a where a.fid = m.fid and a.hidden = 1) is null
    and (select 1 from hidden_cast h where h.hash = m.hash) is null`

/** Fields of profiles by number, as exports name them. */
const FIELDS: Readonly<Record<number, string>> = {
  1: 'pfp',
  2: 'display',
  3: 'bio',
  5: 'url',
  6: 'username',
  7: 'location',
  8: 'twitter',
  9: 'github',
  10: 'banner',
  11: 'primary_address_ethereum',
  12: 'primary_address_solana',
  13: 'profile_token',
  14: 'live_at',
}
const USER_COLUMNS = ['username', 'display', 'bio', 'pfp', 'url', 'location']

/**
 * Expressions that find a field of the body of a message. A recursive query walks the fields of the data, enters the body
 * and walks its fields: a row for a tag and a row for its value in turn, `p` being where each begins. The last field of a
 * number counts. Nothing is nested deeply: the parser of SQLite before 3.46 has room for a hundred symbols, and a view that
 * it cannot read makes the whole file unreadable.
 */
function fieldReader({ byteIn, table, none }: Words) {
  const at = (i: number) => byteIn(i === 0 ? 'p' : `p + ${i}`)
  const isLast = (i: number) => `when p + ${i} >= length(d) or ${at(i)} < 128 then ${i + 1}`
  const counted = Array.from({ length: VARINT_BYTES - 1 }, (_, i) => isLast(i)).join(' ')
  const varintBytes = `(case ${counted} else ${VARINT_BYTES} end)`
  const part = (i: number) => `cast(${at(i)} & 127 as bigint) * ${128 ** i}`
  const goesOn = (i: number) =>
    Array.from({ length: i }, (_, before) => `${at(before)} > 127`).join(' and ')
  const further = Array.from({ length: NUMBER_BYTES - 1 }, (_, i) => i + 1)
    .map((i) => ` + case when ${goesOn(i)} then ${part(i)} else 0 end`)
    .join('')
  const number = `(${part(0)}${further})`
  const tagBytes = `case when ${at(0)} < 128 then 1 else 2 end`
  const tagNumber = `case when ${at(0)} < 128 then ${at(0)} / 8
        else (${at(0)} & 127) / 8 + ${at(1)} * 16 end`
  const enters = (body: number) => `is_value = 1 and level = 0 and num = ${body} and wire = 2`
  const walk = (body: number) => `with recursive f(d, t, p, stop, level, num, wire, is_value) as (
      select m.data, ${table}, 1, length(m.data) + 1, 0, 0, 0, 0
      union all
      select d, t,
        p + cast(case when is_value = 0 then ${tagBytes} when ${enters(body)} then ${varintBytes}
          when wire = 0 then ${varintBytes} when wire = 1 then 8 when wire = 5 then 4
          when wire = 2 then ${varintBytes} + ${number} else length(d) end as integer),
        cast(case when ${enters(body)} then p + ${varintBytes} + ${number} else stop end as integer),
        case when ${enters(body)} then 1 else level end,
        case when is_value = 0 then ${tagNumber} else 0 end,
        case when is_value = 0 then ${at(0)} & 7 else 0 end, 1 - is_value
        from f where p < stop)`
  const last = (field: number, wire: number) =>
    `from f where is_value = 1 and level = 1 and num = ${field} and wire = ${wire} order by p desc limit 1`
  return {
    /** The bytes of a field of the body; none without it. */
    bytesOf: (body: number, field: number) =>
      `coalesce((${walk(body)}
      select substr(d, cast(p + ${varintBytes} as integer), cast(${number} as integer)) ${last(field, 2)}), ${none})`,
    /** The number of a field of the body. */
    numberOf: (body: number, field: number) => `(${walk(body)} select ${number} ${last(field, 0)})`,
  }
}
