import { appendFileSync } from 'node:fs'
import { fileWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import {
  type ColumnType,
  hasZeroBytes,
  type Row,
  sizeOfRow,
  type Table,
  type Value,
  withoutZeroBytes,
  ZERO_BYTES,
} from './tables.ts'

export const FORMATS = ['parquet', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** A file of rows of one table. */
export type RowFile = {
  write(rows: readonly Row[]): void
  finish(): void
}

export const openFile: Readonly<Record<Format, (path: string, table: Table) => RowFile>> = {
  ndjson: (path, table) => lines(path, (row) => JSON.stringify(jsonRow(table, row))),
  csv: csvFile,
  parquet: parquetFile,
}

function lines(path: string, lineOf: (row: Row) => string): RowFile {
  const write = (rows: readonly Row[]) =>
    appendFileSync(path, rows.map((row) => `${lineOf(row)}\n`).join(''))
  // The file is there also without rows.
  write([])
  return { write, finish() {} }
}

const timeText = (seconds: Value): string =>
  new Date(Number(seconds) * SECOND_MS).toISOString().replace('.000Z', 'Z')

/** A row with all columns of its table, times as ISO 8601. */
export function jsonRow({ columns }: Table, row: Row): Record<string, unknown> {
  const entries = Object.entries(columns).map(([name, type]) => {
    const value = row[name] ?? null
    return [name, type === 'time' && value !== null ? timeText(value) : value]
  })
  return Object.fromEntries(entries)
}

/** CSV by RFC 4180, with null as nothing and an empty text as two quotes, as `copy … csv` of PostgreSQL reads it. */
function csvFile(path: string, table: Table): RowFile {
  const names = Object.keys(table.columns)
  const head = table.isFreeText ? [...names, ZERO_BYTES] : names
  appendFileSync(path, `${head.join(',')}\n`)
  return lines(path, (row) => {
    const values = Object.values(jsonRow(table, row)).map(csvValue)
    return (table.isFreeText ? [...values, String(hasZeroBytes(row))] : values).join(',')
  })
}

const NEEDS_QUOTES = /[",\r\n]|^$|^\s|\s$/

function csvValue(value: unknown): string {
  if (value === null) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const safe = withoutZeroBytes(text.replaceAll('\\u0000', '\u{fffd}'))
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows that are encoded together, and held in memory until then. */
const ROWS_PER_GROUP = 10_000
const BYTES_PER_GROUP = 16 * 1024 * 1024

function parquetFile(path: string, { columns }: Table): RowFile {
  const schema = schemaOf(columns)
  const writer = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'rookery' })
  let held: Row[] = []
  let size = 0
  const flush = () => {
    if (held.length === 0) return
    const columnData = Object.entries(columns).map(([name, type]) => ({
      name,
      data: held.map((row) => parquetValue(type, row[name] ?? null)),
    }))
    writer.write({ columnData, rowGroupSize: ROWS_PER_GROUP })
    held = []
    size = 0
  }
  return {
    write(rows) {
      for (const row of rows) {
        held.push(row)
        size += sizeOfRow(row)
        if (held.length === ROWS_PER_GROUP || size >= BYTES_PER_GROUP) flush()
      }
    },
    finish() {
      flush()
      writer.finish()
    },
  }
}

function parquetValue(type: ColumnType, value: Value): unknown {
  if (value === null) return undefined
  switch (type) {
    case 'integer':
      return BigInt(value as number)
    case 'time':
      return new Date((value as number) * SECOND_MS)
    case 'integers':
      return (value as number[]).map(BigInt)
    default:
      return value
  }
}

function schemaOf(columns: Table['columns']): SchemaElement[] {
  const elements = Object.entries(columns).flatMap(([name, type]) => elementsOf(name, type))
  return [{ name: 'root', num_children: Object.keys(columns).length }, ...elements]
}

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const

function elementsOf(name: string, type: ColumnType): SchemaElement[] {
  switch (type) {
    case 'integer':
      return [{ name, type: 'INT64', ...OPTIONAL }]
    case 'time':
      return [{ name, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', ...OPTIONAL }]
    case 'flag':
      return [{ name, type: 'BOOLEAN', ...OPTIONAL }]
    case 'json':
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'JSON', ...OPTIONAL }]
    case 'integers':
      return [
        { name, converted_type: 'LIST', num_children: 1, ...OPTIONAL },
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
        { name: 'element', type: 'INT64', ...OPTIONAL },
      ]
    default:
      return [{ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...OPTIONAL }]
  }
}
