import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { flush } from '../../kernel/base/flush.ts'
import { describeFile } from '../../kernel/storage/backup.ts'
import { type Format, openFile, type RowFile } from './formats.ts'
import type { ExportedFile, Manifest, Sink, TableSummary } from './sink.ts'
import { type Item, type Row, sizeOfRow, TABLE_NAMES, type TableName, tableOf } from './tables.ts'

const MANIFEST = 'manifest.json'
export const ROWS_PER_FILE = 50_000
/** Files end earlier when their texts are long, so that what all open ones hold in memory is bounded, in characters. */
export const HELD_CHARACTERS = 48 * 1024 * 1024
const DIGITS_OF_NUMBER = 5

type OpenFile = { readonly name: string; readonly file: RowFile; rows: number; characters: number }

/** Writes rows into numbered files of a directory, a series for each table. */
export class FileSink implements Sink {
  readonly #directory: string
  readonly #format: Format
  readonly #open = new Map<TableName, OpenFile>()
  readonly #files = new Map<TableName, ExportedFile[]>()

  constructor(directory: string, format: Format) {
    this.#directory = directory
    this.#format = format
  }

  async write(items: readonly Item[]): Promise<void> {
    for (const [table, own] of Map.groupBy(items, (item) => item.table)) {
      let rows = own.map(({ row }) => row)
      while (rows.length > 0) rows = await this.#append(table, rows)
    }
  }

  async finish(): Promise<Record<TableName, TableSummary>> {
    // Every table has a file, so that a query that names its files also works where there are no rows.
    for (const table of TABLE_NAMES)
      if (!this.#files.has(table)) this.#open.get(table) ?? this.#begin(table)
    for (const table of [...this.#open.keys()]) await this.#close(table)
    const tables = TABLE_NAMES.map((table) => {
      const files = this.#files.get(table) ?? []
      return [table, { rows: files.reduce((sum, { rows }) => sum + rows, 0), files }]
    })
    return Object.fromEntries(tables) as Record<TableName, TableSummary>
  }

  async abort(): Promise<void> {
    this.#open.clear()
  }

  /** Writes what fits into the present file, and returns the rest. */
  async #append(table: TableName, rows: readonly Row[]): Promise<Row[]> {
    const current = this.#open.get(table) ?? this.#begin(table)
    const fitting = rows.slice(0, ROWS_PER_FILE - current.rows)
    current.file.write(fitting)
    current.rows += fitting.length
    current.characters += fitting.reduce((sum, row) => sum + sizeOfRow(row), 0)
    if (current.rows === ROWS_PER_FILE) await this.#close(table)
    else await this.#closeLargest()
    return rows.slice(fitting.length)
  }

  async #closeLargest(): Promise<void> {
    const open = [...this.#open].toSorted(([, a], [, b]) => b.characters - a.characters)
    const held = open.reduce((sum, [, { characters }]) => sum + characters, 0)
    if (held >= HELD_CHARACTERS) await this.#close(open[0]![0])
  }

  #begin(table: TableName): OpenFile {
    const number = (this.#files.get(table)?.length ?? 0) + 1
    const name = `${table}-${String(number).padStart(DIGITS_OF_NUMBER, '0')}.${this.#format}`
    const file = openFile[this.#format](join(this.#directory, name), tableOf(table))
    const opened = { name, file, rows: 0, characters: 0 }
    this.#open.set(table, opened)
    return opened
  }

  async #close(table: TableName): Promise<void> {
    const { name, file, rows } = this.#open.get(table)!
    this.#open.delete(table)
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
