import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { jsonValue, parquetElements, parquetForm, toldBy } from './columns.ts'
import { hasZeroBytes, type Row, type Table, withoutZeroBytes, ZERO_BYTES } from './tables.ts'

export const FORMATS = ['parquet', 'csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

/** A file of rows of one table. */
export type RowFile = {
  /** In the order of the file. */
  write(rows: readonly Row[]): void
  finish(): void
}

export const openFile: Readonly<Record<Format, (path: string, table: Table) => RowFile>> = {
  ndjson: (path, table) => textFile(path, table, '', (row) => JSON.stringify(jsonRow(table, row))),
  csv: csvFile,
  parquet: parquetFile,
}

/** A row with all columns of its table, as JSON has them. */
export function jsonRow({ columns }: Table, row: Row): Record<string, unknown> {
  const entries = Object.entries(columns).map(([name, type]) => [
    name,
    jsonValue(type, row[name] ?? null),
  ])
  return Object.fromEntries(entries)
}

/** CSV by RFC 4180. Null is nothing and every text has quotes, so that an empty text and the text NULL are no nulls. */
function csvFile(path: string, table: Table): RowFile {
  const names = Object.keys(table.columns)
  const head = table.isFreeText ? [...names, ZERO_BYTES] : names
  return textFile(path, table, `${head.join(',')}\n`, (row) => {
    const values = Object.entries(jsonRow(table, row)).map(([name, value]) =>
      csvValue(value, table.columns[name] === 'time'),
    )
    return (table.isFreeText ? [...values, String(hasZeroBytes(row))] : values).join(',')
  })
}

function csvValue(value: unknown, isBare: boolean): string {
  if (value === null) return ''
  if (isBare || typeof value === 'number' || typeof value === 'boolean') return String(value)
  const safe = withoutZeroBytes(value)
  const text = typeof safe === 'string' ? safe : JSON.stringify(safe)
  return `"${text.replaceAll('"', '""')}"`
}

/** From so many rows polars takes the types of columns. Others read more. */
const ROWS_THAT_TELL_TYPES = 100

type Range = { readonly start: number; readonly end: number }

/** A file of lines whose first rows show the types of all columns, as far as any row does. */
function textFile(path: string, table: Table, head: string, lineOf: (row: Row) => string): RowFile {
  const columns = Object.entries(table.columns)
  const told = new Set<string>()
  /** Of rows that told something new: fewer than there are columns and fields. */
  const telling: Range[] = []
  let isLate = false
  let count = 0
  let length = Buffer.byteLength(head)
  appendFileSync(path, head)

  const note = (row: Row, line: Range) => {
    const tells = columns.flatMap(([name, type]) => toldBy(name, type, row[name]))
    if (tells.every((name) => told.has(name))) return
    for (const name of tells) told.add(name)
    telling.push(line)
    if (count >= ROWS_THAT_TELL_TYPES) isLate = true
  }
  return {
    write(rows) {
      const lines = rows.map((row) => {
        const line = `${lineOf(row)}\n`
        const start = length
        length += Buffer.byteLength(line)
        note(row, { start, end: length })
        count++
        return line
      })
      appendFileSync(path, lines.join(''))
    },
    finish() {
      if (isLate) bringForward(path, Buffer.byteLength(head), telling, length)
    },
  }
}

/** Writes a file again, with some of its lines before all others. */
function bringForward(path: string, start: number, lines: readonly Range[], end: number): void {
  const part = `${path}.part`
  const [from, to] = [openSync(path, 'r'), openSync(part, 'w')]
  try {
    const rest = [...lines, { start: end, end }].map((line, i) => ({
      start: lines[i - 1]?.end ?? start,
      end: line.start,
    }))
    for (const range of [{ start: 0, end: start }, ...lines, ...rest]) copyRange(from, to, range)
    const { size } = fstatSync(to)
    if (size !== end) throw new Error(`${part} has ${size} bytes in place of ${end}`)
  } finally {
    closeSync(from)
    closeSync(to)
  }
  renameSync(part, path)
}

const COPIED_BYTES = 1024 * 1024

function copyRange(from: number, to: number, { start, end }: Range): void {
  const buffer = Buffer.alloc(Math.min(COPIED_BYTES, end - start))
  for (let at = start; at < end; ) {
    const read = readSync(from, buffer, 0, Math.min(buffer.length, end - at), at)
    if (read === 0) throw new Error(`a file that is copied ended at byte ${at} in place of ${end}`)
    // Unlike one write, which takes what the disk has room for, this writes everything or throws.
    appendFileSync(to, buffer.subarray(0, read))
    at += read
  }
}

/** Formats in whose files the rows are by fid, and of one fid by event. In others they are by event. */
export const BY_FID: ReadonlySet<Format> = new Set<Format>(['parquet'])

/**
 * Rows of a group, which readers skip together. A file has rows of a short time, and its groups are by fid: so a reader
 * that asks for a time opens few files, and one that asks for a fid reads few groups of each.
 * Integers are not written as differences, although that saves 3 percent: fastparquet reads other numbers from them, silently.
 */
export const ROWS_PER_GROUP = 6_250
/** Of lists in a group, which ends earlier with so many: a state has some 20,000, and encoding takes many times their memory. */
const ENTRIES_PER_GROUP = 100_000
const ZSTD = {
  codec: 'ZSTD',
  compressors: { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) },
} as const

const entriesOf = (row: Row): number =>
  Object.values(row).reduce<number>(
    (sum, value) => (Array.isArray(value) ? sum + value.length : sum),
    0,
  )

function parquetFile(path: string, { columns }: Table): RowFile {
  const schema = [
    { name: 'root', num_children: Object.keys(columns).length },
    ...Object.entries(columns).flatMap(([name, type]) => parquetElements(name, type)),
  ]
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema,
    createdBy: 'rookery',
    ...ZSTD,
  })
  const held = Object.entries(columns).map(([name, type]) => ({
    name,
    toParquet: parquetForm(type),
    values: [] as unknown[],
  }))
  let [count, entries] = [0, 0]
  const writeGroup = () => {
    const columnData = held.map(({ name, values }) => ({ name, data: values.splice(0) }))
    writer.write({ columnData, rowGroupSize: ROWS_PER_GROUP })
    count = 0
    entries = 0
  }
  return {
    write(rows) {
      for (const row of rows) {
        for (const { name, toParquet, values } of held) values.push(toParquet(row[name] ?? null))
        count++
        entries += entriesOf(row)
        if (count === ROWS_PER_GROUP || entries >= ENTRIES_PER_GROUP) writeGroup()
      }
    },
    finish() {
      if (count > 0) writeGroup()
      writer.finish()
    },
  }
}
