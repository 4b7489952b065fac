// The types of columns, and what each is in every format. Tables name a type for each column and nothing else.

import type { SchemaElement } from 'hyparquet-writer'
import { SECOND_MS } from '../../kernel/protocol/time.ts'

/** What an export holds of a value. A time is in Unix seconds; null: there is none. */
export type Value =
  | number
  | string
  | boolean
  | null
  | readonly number[]
  | readonly Readonly<Record<string, number | string | null>>[]

export const SCALARS = {
  /** Fids, counts, ids: whole numbers below 2^53. */
  integer: {
    parquet: { type: 'INT64' },
    toParquet: (value: number) => BigInt(value),
    sql: 'bigint',
    sqlite: 'integer',
    clickhouse: 'Int64',
    toText: (value: number) => value,
  },
  /** What people wrote. It may have zero bytes where its table says so. */
  text: {
    parquet: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    toParquet: (value: string) => value,
    sql: 'text',
    sqlite: 'text',
    clickhouse: 'String',
    toText: (value: string) => value,
  },
  /** Bytes, as 0x and lower-case hex digits. */
  hex: {
    parquet: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    toParquet: (value: string) => value,
    sql: 'text',
    sqlite: 'text',
    clickhouse: 'String',
    toText: (value: string) => value,
  },
  /** A moment in UTC. Readers take a time without `isAdjustedToUTC` for one without a zone. */
  time: {
    parquet: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    toParquet: (value: number) => BigInt(value * SECOND_MS),
    sql: 'timestamptz',
    sqlite: 'text',
    clickhouse: "DateTime('UTC')",
    toText: (value: number) => new Date(value * SECOND_MS).toISOString().replace('.000Z', 'Z'),
  },
  flag: {
    parquet: { type: 'BOOLEAN' },
    toParquet: (value: boolean) => value,
    sql: 'boolean',
    sqlite: 'integer',
    clickhouse: 'UInt8',
    toText: (value: boolean) => value,
  },
} as const

export type Scalar = keyof typeof SCALARS
type Fields = Readonly<Record<string, Scalar>>
/** A value, a list of values, or a list of objects with these fields. */
export type ColumnType = Scalar | { readonly list: Scalar | Fields }

const scalarOf = (type: Scalar) =>
  SCALARS[type] as {
    readonly parquet: Partial<SchemaElement>
    readonly sql: string
    readonly sqlite: string
    readonly clickhouse: string
    toParquet(value: unknown): unknown
    toText(value: unknown): number | string | boolean
  }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Applies one of the conversions of the scalars to a value of a column. */
function converted(to: 'toParquet' | 'toText', type: ColumnType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (typeof type === 'string') return scalarOf(type)[to](value)
  const { list } = type
  return (value as unknown[]).map((one) =>
    typeof list === 'string'
      ? converted(to, list, one)
      : Object.fromEntries(
          Object.entries(list).map(([name, field]) => [
            name,
            converted(to, field, (one as Record<string, unknown>)[name]),
          ]),
        ),
  )
}

/** As JSON has it. */
export const jsonValue = (type: ColumnType, value: Value): unknown =>
  converted('toText', type, value)

/** How values of a column become those of a Parquet file. */
export function parquetForm(type: ColumnType): (value: Value) => unknown {
  if (typeof type !== 'string') return (value) => converted('toParquet', type, value)
  const { toParquet } = scalarOf(type)
  return (value) => (value === null ? null : toParquet(value))
}

export const sqlType = (type: ColumnType): string => {
  if (typeof type === 'string') return scalarOf(type).sql
  return typeof type.list === 'string' ? `${scalarOf(type.list).sql}[]` : 'jsonb'
}

/** Lists are texts of JSON. */
export const sqliteType = (type: ColumnType): string =>
  typeof type === 'string' ? scalarOf(type).sqlite : 'text'

/** `isRequired`: it is never null. */
export function clickhouseType(type: ColumnType, isRequired = false): string {
  if (typeof type === 'string') {
    const own = scalarOf(type).clickhouse
    return isRequired ? own : `Nullable(${own})`
  }
  const { list } = type
  if (typeof list === 'string') return `Array(${clickhouseType(list, true)})`
  const fields = Object.entries(list).map(([name, scalar]) => `${name} ${clickhouseType(scalar)}`)
  return `Array(Tuple(${fields.join(', ')}))`
}

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const

/** The elements of a column in the schema of a Parquet file; a list has three levels. */
export function parquetElements(name: string, type: ColumnType): SchemaElement[] {
  if (typeof type === 'string') return [{ name, ...scalarOf(type).parquet, ...OPTIONAL }]
  const { list } = type
  const element =
    typeof list === 'string'
      ? parquetElements('element', list)
      : [
          { name: 'element', num_children: Object.keys(list).length, ...OPTIONAL },
          ...Object.entries(list).flatMap(([field, scalar]) => parquetElements(field, scalar)),
        ]
  return [
    { name, converted_type: 'LIST', logical_type: { type: 'LIST' }, num_children: 1, ...OPTIONAL },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    ...element,
  ]
}

/** A type in words, as the manifest and the documentation say it. */
export const typeName = (type: ColumnType): string => {
  if (typeof type === 'string') return type
  if (typeof type.list === 'string') return `list of ${type.list}`
  const fields = Object.entries(type.list).map(([name, scalar]) => `${name} ${scalar}`)
  return `list of (${fields.join(', ')})`
}

/** Texts that readers may take for a number, a time, a truth value or nothing. */
const MAY_BE_OTHER =
  /^([\s\d.,:+_-].*|true|false|t|f|yes|no|y|n|null|none|nan|na|n\/a|inf|infinity)?$/is

/**
 * What a value tells a reader that takes the types of columns from the rows that it sees first: the names of the columns
 * and fields whose type shows in it.
 */
export function toldBy(name: string, type: ColumnType, value: unknown): string[] {
  if (value === null || value === undefined) return []
  if (type === 'text') return MAY_BE_OTHER.test(value as string) ? [] : [name]
  if (typeof type === 'string') return [name]
  const { list } = type
  return (value as unknown[]).flatMap((one) =>
    typeof list === 'string' || !isObject(one)
      ? [name]
      : Object.entries(list).flatMap(([field, scalar]) =>
          toldBy(`${name}.${field}`, scalar, one[field]),
        ),
  )
}
