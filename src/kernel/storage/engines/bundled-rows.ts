// The rows of a select in one byte string. To hand over a value costs both engines more than to find it: node:sqlite makes
// an ArrayBuffer for each byte string, and PostgreSQL a text of its own. A page of 100 messages takes half as long so.

import type { Row, SqlValue } from './sql.ts'

/** The types of columns, by their names, in which a select has all of them. */
export type BundledColumns = Readonly<Record<string, 'bigint' | 'bytea'>>

/** A select whose rows come as one value. Its text is ordered, as for `Sql.all`, and is the same for the same columns always. */
export type BundledSelect = { readonly columns: BundledColumns; readonly text: string }

/** How an engine writes numbers of 8 and of 4 bytes, and joins what belongs to all rows. */
type Spelling = {
  /** The numbers, each an expression with its bytes, one after the other. */
  numbers(values: readonly { readonly text: string; readonly bytes: 4 | 8 }[]): string
  readonly nothing: string
  joined(row: string): string
}

const SPELLINGS = {
  sqlite: {
    numbers: (values) => {
      const format = values.map(({ bytes }) => `%0${bytes * 2}x`).join('')
      return `unhex(printf('${format}', ${values.map(({ text }) => text).join(', ')}))`
    },
    nothing: "x''",
    // What is joined has the type text there, whatever its bytes are.
    joined: (row) => `cast(group_concat(${row}, '') as blob)`,
  },
  postgres: {
    numbers: (values) =>
      values
        .map(({ text, bytes }) => (bytes === 8 ? `int8send(${text})` : `int4send(${text})`))
        .join(' || '),
    nothing: "''::bytea",
    joined: (row) => `string_agg(${row}, ''::bytea)`,
  },
} as const satisfies Record<string, Spelling>

/** Stands for a number that is null: -2^62, below every number of ours. */
const NULL_NUMBER = '-4611686018427387904'
const NULL_NUMBER_HIGH = -(2 ** 30)

/** The select as one that has the single column `bundle`: null without rows. */
export function bundledText(
  engine: keyof typeof SPELLINGS,
  { columns, text }: BundledSelect,
): string {
  const spelling: Spelling = SPELLINGS[engine]
  const names = Object.keys(columns)
  const byteNames = names.filter((name) => columns[name] === 'bytea')
  const head = names.map((name) =>
    columns[name] === 'bytea'
      ? { text: `coalesce(length(x.${name}) + 1, 0)`, bytes: 4 as const }
      : { text: `coalesce(x.${name}, ${NULL_NUMBER})`, bytes: 8 as const },
  )
  const parts = byteNames.map((name) => `coalesce(x.${name}, ${spelling.nothing})`)
  const row = [spelling.numbers(head), ...parts].join(' || ')
  return `select ${spelling.joined(row)} as bundle from (${text}) x`
}

/** The rows of a bundle. Their byte strings are views of it. */
export function unbundled(columns: BundledColumns, value: SqlValue | undefined): Row[] {
  if (!value) return []
  const { buffer, byteOffset, length } = value as Uint8Array
  const bundle = Buffer.from(buffer, byteOffset, length)
  const entries = Object.entries(columns)
  const headBytes = entries.reduce((sum, [, type]) => sum + (type === 'bytea' ? 4 : 8), 0)
  const rows: Row[] = []
  for (let at = 0; at < length; ) {
    const row: Row = {}
    let end = at + headBytes
    for (const [name, type] of entries) {
      if (type === 'bytea') {
        const begin = end
        const size = bundle.readUInt32BE(at)
        at += 4
        if (size > 0) end += size - 1
        row[name] = size > 0 ? bundle.subarray(begin, end) : null
      } else {
        const high = bundle.readInt32BE(at)
        row[name] = high === NULL_NUMBER_HIGH ? null : high * 2 ** 32 + bundle.readUInt32BE(at + 4)
        at += 8
      }
    }
    rows.push(row)
    at = end
  }
  return rows
}
