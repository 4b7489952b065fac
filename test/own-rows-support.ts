// Rows that hold a mark in each column that can hold one, for tests of what tables declare as an account's.

import type { Field } from '../src/kernel/storage/tables/table.ts'
import { SCHEMA } from '../src/store.ts'
import { FILLER, word } from './stored-rows.ts'

/** Marks by the table, the column and the owner of the row: `invite.label of inviter`. */
export type Marks = Map<string, string>
type DeclaredTable = (typeof SCHEMA.tables)[number]

export const ownersOf = ({ fields }: DeclaredTable) =>
  Object.keys(fields).filter((column) => fields[column]!.exported === true)
export const EXPORTED = SCHEMA.tables.filter((table) => ownersOf(table).length > 0)

/** Of the two numbers of a table the first may have to be the greater one. */
let nextInteger = 5_000_000
/** Somebody else. */
let nextFid = 80_000

/** A row that has the fid in the column of its owner alone, with a mark in each column that can hold one. */
export function rowOf(
  table: DeclaredTable,
  { owner, fid }: { readonly owner?: string; readonly fid?: number },
  marks: Marks,
) {
  const content = (column: string, field: Field) => {
    if (column === owner) return fid!
    if (field.erasure !== undefined) return field.type === 'fids' ? '' : ++nextFid
    if (field.values) return field.values[0]!
    if (field.type === 'integer') return --nextInteger
    if (!['line', 'text', 'link', 'bytes'].includes(field.type)) return FILLER[field.type]('')
    const mark = word()
    marks.set(`${table.name}.${column} of ${owner}`, mark)
    if (field.type === 'bytes') return Buffer.from(mark, 'hex')
    return field.type === 'link' ? `https://example.org/${mark}` : JSON.stringify({ mark })
  }
  return Object.fromEntries(
    Object.entries(table.fields).map(([column, field]) => [column, content(column, field)]),
  )
}

/** Whether the export of an account has what stands at a place of marks. */
export function isGiven(where: string): boolean {
  const [name, column] = where.split(/[. ]/)
  const table = EXPORTED.find((one) => one.name === name)!
  return !table.fields[column!]!.withheld
}
