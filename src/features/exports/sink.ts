import type { BackupFile } from '../../kernel/storage/backup.ts'
import type { UnreadItem } from './message-rows.ts'
import { type Item, TABLE_NAMES, type TableName } from './tables.ts'

export type ExportedFile = BackupFile & { readonly rows: number }
export type TableSummary = { readonly rows: number; readonly files?: readonly ExportedFile[] }

/** How many rows of each table were written. */
export class RowCounts {
  readonly #rows = new Map<TableName, number>()

  add(table: TableName, rows: number): void {
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows)
  }

  summary(): Record<TableName, TableSummary> {
    const tables = TABLE_NAMES.map((table) => [table, { rows: this.#rows.get(table) ?? 0 }])
    return Object.fromEntries(tables) as Record<TableName, TableSummary>
  }
}

/** Where rows go. */
export type Sink = {
  write(items: readonly (Item | UnreadItem)[]): Promise<void>
  /** After the last row; the numbers of rows that were written. */
  finish(manifest: ManifestHead): Promise<Record<TableName, TableSummary>>
  /** Gives up. */
  abort(): Promise<void>
}

/** What is known of an export before its rows. */
export type ManifestHead = {
  /** Of this file. */
  readonly format: 1
  readonly version: string
  /** Of the tables and their columns. */
  readonly tablesVersion: number
  readonly network: string
  /** 'everything', or 'changes' with `--since`. */
  readonly content: 'everything' | 'changes'
  readonly fids: readonly number[] | null
  /** The first and the last event that count: `--since lastEventId` continues. */
  readonly firstEventId: number
  readonly lastEventId: number
  readonly startedAt: string
}

export type Manifest = ManifestHead & {
  readonly finishedAt: string
  readonly tables: Readonly<Record<TableName, TableSummary>>
}
