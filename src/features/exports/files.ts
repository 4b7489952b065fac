import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SECOND_MS, unixMsOf } from '../../kernel/protocol/time.ts'
import type { Format } from './formats.ts'
import { isUnread, type UnreadItem } from './message-rows.ts'
import { joinMessages, type PackedMessages, packMessages } from './packed.ts'
import type { ExportedFile, Manifest, Sink, TableSummary } from './sink.ts'
import { type Item, ROW_BYTES, type Row, sizeOfRow, TABLE_NAMES, type TableName } from './tables.ts'
import { namingFile } from './write-file.ts'
import { FileWriters } from './writers.ts'

export const MANIFEST = 'manifest.json'

/** How the files of a table are divided: not at all, or in folders like `casts/month=2026-01`, as Hive does. */
export const PARTITIONS = ['none', 'month'] as const
export type Partition = (typeof PARTITIONS)[number]

export const ROWS_PER_FILE = 50_000
/** Files end earlier when all open ones would hold more in memory, where rows are until their file is written. */
export const HELD_BYTES = 16 * 1024 * 1024
const DIGITS_OF_NUMBER = 5
export const OWNER_ONLY_DIRECTORY = 0o700

type OpenFile = {
  readonly table: TableName
  readonly name: string
  readonly messages: PackedMessages[]
  readonly rows: Row[]
  count: number
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
  readonly #files = new Map<TableName, Promise<ExportedFile>[]>()
  readonly #writers = new FileWriters()
  /** Why a file could not be written. */
  #failure: unknown

  constructor(directory: string, format: Format, partition: Partition = 'none') {
    this.#directory = directory
    this.#format = format
    this.#partition = partition
  }

  async write(items: readonly (Item | UnreadItem)[]): Promise<void> {
    if (this.#failure) throw this.#failure
    const groups = Map.groupBy(items, (item) => this.#seriesOf(item.table, unixMsOfItem(item)))
    for (const [series, own] of groups) {
      for (let rest = own; rest.length > 0; ) rest = await this.#append(series, rest)
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
    const tables = TABLE_NAMES.map(async (table) => {
      const files = await Promise.all(this.#files.get(table) ?? [])
      return [table, { rows: files.reduce((sum, { rows }) => sum + rows, 0), files }]
    })
    const summaries = await Promise.all(tables)
    await this.#writers.close()
    return Object.fromEntries(summaries) as Record<TableName, TableSummary>
  }

  async abort(): Promise<void> {
    this.#open.clear()
    await this.#writers.close()
  }

  /** The beginning of the names of the files in which rows of a time are. */
  #seriesOf(table: TableName, unixMs: number): string {
    if (this.#partition === 'none') return table
    const month = new Date(unixMs).toISOString().slice(0, 'yyyy-mm'.length)
    return `${table}/month=${month}/${table}`
  }

  /** Takes what fits into the present file, and returns the rest. */
  async #append<T extends Item | UnreadItem>(series: string, items: T[]): Promise<T[]> {
    const current = this.#open.get(series) ?? (await this.#begin(items[0]!.table, series))
    const fitting = items.slice(0, ROWS_PER_FILE - current.count)
    const messages = fitting.flatMap((item) => (isUnread(item) ? item.message : []))
    if (messages.length > 0) current.messages.push(packMessages(messages))
    for (const item of fitting) if (!isUnread(item)) current.rows.push(item.row)
    current.count += fitting.length
    current.size += fitting.reduce((sum, item) => sum + sizeOf(item), 0)
    if (current.count === ROWS_PER_FILE) await this.#close(series)
    else await this.#closeLargest()
    return items.slice(fitting.length)
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
    const directory = dirname(join(this.#directory, name))
    await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
    const opened = { table, name, messages: [], rows: [], count: 0, size: 0 }
    this.#open.set(series, opened)
    return opened
  }

  async #close(series: string): Promise<void> {
    const { table, name, messages, rows } = this.#open.get(series)!
    this.#open.delete(series)
    const order = {
      ...{ directory: this.#directory, name, format: this.#format },
      ...{ table, messages: joinMessages(messages), rows },
    }
    // Their parts are not held beside them while the thread is busy.
    messages.length = 0
    const { file } = await this.#writers.begin(order)
    file.catch((error) => {
      this.#failure ??= error
    })
    if (this.#failure) throw this.#failure
    this.#files.set(table, [...(this.#files.get(table) ?? []), file])
  }
}

const unixMsOfItem = (item: Item | UnreadItem): number =>
  isUnread(item) ? unixMsOf(item.message.timestamp) : (item.row.timestamp as number) * SECOND_MS

/** How much more memory the row of a message takes than its bytes. Fids in a list have two bytes or more, and then eight. */
const GROWTH: Partial<Record<TableName, number>> = { link_states: 4 }

/** About how much memory its row takes. */
const sizeOf = (item: Item | UnreadItem): number =>
  isUnread(item)
    ? ROW_BYTES + item.message.data.length * (GROWTH[item.table] ?? 1)
    : sizeOfRow(item.row)

/** Returns when the manifest is on the disk: it is the last file of an export. */
export const writeManifest = (directory: string, manifest: Manifest): Promise<void> =>
  namingFile(join(directory, MANIFEST), () =>
    writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      flush: true,
    }),
  )
