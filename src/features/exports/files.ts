import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { flush } from '../../kernel/base/flush.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import { describeFile } from '../../kernel/storage/backup.ts'
import { type Format, openFile, type RowFile } from './formats.ts'
import type { ExportedFile, Manifest, Sink, TableSummary } from './sink.ts'
import { type Item, type Row, sizeOfRow, TABLE_NAMES, type TableName, tableOf } from './tables.ts'

export const MANIFEST = 'manifest.json'

/** How the files of a table are divided: not at all, or in folders like `casts/month=2026-01`, as Hive does. */
export const PARTITIONS = ['none', 'month'] as const
export type Partition = (typeof PARTITIONS)[number]

export const ROWS_PER_FILE = 50_000
/** Files end earlier when all open ones would hold more in memory: Parquet holds its rows until a file ends. */
export const HELD_BYTES = 16 * 1024 * 1024
const DIGITS_OF_NUMBER = 5
export const OWNER_ONLY_DIRECTORY = 0o700

type OpenFile = {
  readonly table: TableName
  readonly name: string
  readonly file: RowFile
  rows: number
  size: number
}

/** Writes rows into numbered files of a directory, a series for each table and partition. */
export class FileSink implements Sink {
  readonly #directory: string
  readonly #format: Format
  readonly #partition: Partition
  /** By the series. */
  readonly #open = new Map<string, OpenFile>()
  /** How many files each series has. */
  readonly #numbers = new Map<string, number>()
  readonly #files = new Map<TableName, ExportedFile[]>()

  constructor(directory: string, format: Format, partition: Partition = 'none') {
    this.#directory = directory
    this.#format = format
    this.#partition = partition
  }

  async write(items: readonly Item[]): Promise<void> {
    const groups = Map.groupBy(items, ({ table, row }) =>
      this.#seriesOf(table, (row.timestamp as number) * SECOND_MS),
    )
    for (const [series, own] of groups) {
      let rows = own.map(({ row }) => row)
      while (rows.length > 0) rows = await this.#append(own[0]!.table, series, rows)
    }
  }

  async finish(): Promise<Record<TableName, TableSummary>> {
    for (const series of [...this.#open.keys()]) await this.#close(series)
    // Every table has a file, so that a query that names its files also works where there are no rows.
    for (const table of TABLE_NAMES) {
      if (this.#files.has(table)) continue
      const series = this.#seriesOf(table, Date.now())
      await this.#begin(table, series)
      await this.#close(series)
    }
    const tables = TABLE_NAMES.map((table) => {
      const files = this.#files.get(table) ?? []
      return [table, { rows: files.reduce((sum, { rows }) => sum + rows, 0), files }]
    })
    return Object.fromEntries(tables) as Record<TableName, TableSummary>
  }

  async abort(): Promise<void> {
    this.#open.clear()
  }

  /** The beginning of the names of the files in which rows of a time are. */
  #seriesOf(table: TableName, unixMs: number): string {
    if (this.#partition === 'none') return table
    const month = new Date(unixMs).toISOString().slice(0, 'yyyy-mm'.length)
    return `${table}/month=${month}/${table}`
  }

  /** Writes what fits into the present file, and returns the rest. */
  async #append(table: TableName, series: string, rows: readonly Row[]): Promise<Row[]> {
    const current = this.#open.get(series) ?? (await this.#begin(table, series))
    const fitting = rows.slice(0, ROWS_PER_FILE - current.rows)
    current.file.write(fitting)
    current.rows += fitting.length
    current.size += fitting.reduce((sum, row) => sum + sizeOfRow(row), 0)
    if (current.rows === ROWS_PER_FILE) await this.#close(series)
    else await this.#closeLargest()
    return rows.slice(fitting.length)
  }

  async #closeLargest(): Promise<void> {
    const open = [...this.#open].toSorted(([, a], [, b]) => b.size - a.size)
    const held = open.reduce((sum, [, { size }]) => sum + size, 0)
    if (held >= HELD_BYTES) await this.#close(open[0]![0])
  }

  async #begin(table: TableName, series: string): Promise<OpenFile> {
    const number = (this.#numbers.get(series) ?? 0) + 1
    this.#numbers.set(series, number)
    const name = `${series}-${String(number).padStart(DIGITS_OF_NUMBER, '0')}.${this.#format}`
    const path = join(this.#directory, name)
    await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_DIRECTORY })
    const file = openFile[this.#format](path, tableOf(table))
    const opened = { table, name, file, rows: 0, size: 0 }
    this.#open.set(series, opened)
    return opened
  }

  async #close(series: string): Promise<void> {
    const { table, name, file, rows } = this.#open.get(series)!
    this.#open.delete(series)
    file.finish()
    await flush(join(this.#directory, name))
    const described = { ...(await describeFile(this.#directory, name)), rows }
    this.#files.set(table, [...(this.#files.get(table) ?? []), described])
  }
}

/** Returns when the manifest is on the disk: it is the last file of an export. */
export const writeManifest = (directory: string, manifest: Manifest): Promise<void> =>
  writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
    flush: true,
  })
