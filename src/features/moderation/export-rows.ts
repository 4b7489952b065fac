import { camelCase } from '../../kernel/http/input/query.ts'
import { positionOf, tokenOf } from '../../kernel/http/list-tags.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { Sql, SqlValue } from '../../kernel/storage/engines/sql.ts'
import { notOfThisList } from '../../kernel/storage/reads/list-key.ts'
import { MAX_PAGE_BYTES } from '../../kernel/storage/reads/page.ts'
import { rowsOf } from '../../kernel/storage/rows.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import {
  type After,
  type Field,
  type OwnRow,
  sqlTypeOf,
} from '../../kernel/storage/tables/table.ts'
import type { AnyTable } from '../../kernel/storage/tables/tables.ts'

// The rows that tables say are an account's, for its owner: a table that is declared is exported without being named here.

/** Rows of one page; a page also ends with the bytes that bound any page. */
export const ROWS_PAGE = 200

type JsonValue = string | number | boolean | null
type ExportedRow = { readonly table: string; readonly row: Record<string, JsonValue> }
type RowsPage = { readonly rows: readonly ExportedRow[]; readonly next: Uint8Array | undefined }
type Position = { readonly table: AnyTable; readonly key: After }

const ownRows =
  (sql: Sql) =>
  (table: AnyTable, ...which: [fid: number, after: After, limit: number]): Promise<OwnRow[]> =>
    table.ownRows(sql, ...which)
const OWN_ROWS = rowsOf(ownRows, ({ sql }) => ownRows(sql))

/** The next rows of an account, table by table. The token is the table and the key of the last row. */
export async function exportRows(
  { of, schema }: Pick<Storage, 'of' | 'schema'>,
  fid: number,
  token: Uint8Array | undefined,
): Promise<RowsPage> {
  const list = ['export-rows', fid]
  const tables = schema?.tables ?? []
  const begun = token && readPosition(tables, positionOf(list, token))
  const rows: ExportedRow[] = []
  let bytes = 0
  let last: Uint8Array | undefined
  for (const table of begun ? tables.slice(tables.indexOf(begun.table)) : tables) {
    const after = table === begun?.table ? begun.key : undefined
    const found = await of(OWN_ROWS)(table, fid, after, ROWS_PAGE - rows.length + 1)
    for (const own of found) {
      if (rows.length === ROWS_PAGE || bytes >= MAX_PAGE_BYTES) {
        return { rows, next: last && tokenOf(list, last) }
      }
      const row = jsonOf(table, own)
      bytes += JSON.stringify(row).length
      rows.push({ table: table.name, row })
      last = positionAfter(table, own)
    }
  }
  return { rows, next: undefined }
}

const jsonOf = ({ fields }: AnyTable, { values }: OwnRow) =>
  Object.fromEntries(
    Object.entries(values).map(([column, value]) => [
      camelCase(column),
      jsonValue(fields[column], value),
    ]),
  )

function jsonValue(field: Field | undefined, value: SqlValue): JsonValue {
  if (value instanceof Uint8Array) return toHex(value)
  return field?.type === 'flag' ? value === 1 : value
}

const positionAfter = ({ name }: AnyTable, { key }: OwnRow): Uint8Array =>
  Buffer.from(
    JSON.stringify([name, ...key.map((part) => (part instanceof Uint8Array ? toHex(part) : part))]),
  )

/** Throws a Rejection for a position that is not of this list. */
function readPosition(tables: readonly AnyTable[], position: Uint8Array): Position {
  const [name, ...key] = readList(position)
  const table = tables.find((one) => one.name === name)
  if (!table || key.length !== table.key.length) throw notOfThisList()
  return {
    table,
    key: table.key.map((column, at) => keyPart(sqlTypeOf(table.fields[column]!), key[at])),
  }
}

function readList(position: Uint8Array): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(position).toString())
    if (Array.isArray(list)) return list
  } catch {}
  throw notOfThisList()
}

function keyPart(type: ReturnType<typeof sqlTypeOf>, value: unknown): SqlValue {
  if (type === 'bigint' && Number.isSafeInteger(value)) return value as number
  if (type === 'text' && typeof value === 'string') return value.replaceAll('\0', '')
  const bytes = type === 'bytea' && typeof value === 'string' ? fromHex(value) : undefined
  if (bytes) return bytes
  throw notOfThisList()
}
