// What targets that hold the present state of the tables share: their definitions, and how rows are applied to them.

import type { ColumnType } from './columns.ts'
import { ExportRefused } from './export.ts'
import { jsonRow } from './formats.ts'
import {
  hasZeroBytes,
  type Item,
  type Row,
  TABLE_NAMES,
  TABLES_VERSION,
  type TableName,
  tableOf,
  withoutZeroBytes,
  ZERO_BYTES,
} from './tables.ts'

/** Tables whose rows are changed by what follows. Removals are only recorded. */
const isState = (table: TableName) => table !== 'removals'

/** What is done to a target. */
export type StateWriter = {
  /** Writes rows, each in place of the one with the same key; no two of them have one key. */
  put(table: TableName, rows: readonly Row[]): Promise<void>
  /** Removes the row that a row of `removals` names. */
  remove(removal: Row): Promise<void>
  /** Removes what a row of `link_states` replaces: the feed does not list it. */
  replaceLinks(state: Row): Promise<void>
}

/** Applies rows in their order. A new export of everything has nothing to remove. */
export async function applyItems(
  writer: StateWriter,
  items: readonly Item[],
  isWhole: boolean,
): Promise<void> {
  const pending = new Map<TableName, Map<string, Row>>()
  const flush = async () => {
    for (const [table, rows] of pending) await writer.put(table, [...rows.values()])
    pending.clear()
  }
  for (const { table, row } of items) {
    // What it removes may be among the rows before it.
    if (!isWhole && (table === 'removals' || table === 'link_states')) {
      await flush()
      await (table === 'removals' ? writer.remove(row) : writer.replaceLinks(row))
    }
    const rows = pending.get(table) ?? new Map<string, Row>()
    pending.set(table, rows)
    // One statement cannot write a row twice.
    rows.set(JSON.stringify(tableOf(table).key.map((name) => row[name])), row)
  }
  await flush()
}

/** The columns of a table in a database. */
export function storedColumns(table: TableName): Readonly<Record<string, ColumnType>> {
  const { columns, isFreeText } = tableOf(table)
  return isFreeText ? { ...columns, [ZERO_BYTES]: 'flag' } : columns
}

/** The values of a row as JSON has them, without zero bytes, which databases refuse or cut texts at. */
export function storedRow(table: TableName, row: Row): Record<string, unknown> {
  const described = tableOf(table)
  const values = withoutZeroBytes(jsonRow(described, row))
  return described.isFreeText ? { ...values, [ZERO_BYTES]: hasZeroBytes(row) } : values
}

/** What an `insert` does with a row whose key is there. */
export function onConflict(table: TableName): string {
  const { key } = tableOf(table)
  const others = Object.keys(storedColumns(table)).filter((column) => !key.includes(column))
  const update = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `on conflict (${keyText(table)}) do ${isState(table) ? `update set ${update}` : 'nothing'}`
}

const keyText = (table: TableName): string =>
  tableOf(table)
    .key.map((column) =>
      isState(table) ? column : `(coalesce(${column}, ${EMPTY[column] ?? "''"}))`,
    )
    .join(', ')
/** A key of removals has columns that may be null. */
const EMPTY: Readonly<Record<string, string>> = { event_id: '0' }

/** Statements that make the tables where they are missing. `prefix` is the schema, with its dot. */
export function createStatements(prefix: string, typeOf: (type: ColumnType) => string): string[] {
  return [
    ...TABLE_NAMES.flatMap((table) => {
      const name = `${prefix}${table}`
      const columns = Object.entries(storedColumns(table)).map(
        ([column, type]) => `${column} ${typeOf(type)}`,
      )
      return [
        `create table if not exists ${name} (${columns.join(', ')})`,
        `create unique index if not exists ${table}_key on ${name} (${keyText(table)})`,
        ...(isState(table) && table !== 'fids'
          ? [`create index if not exists ${table}_fid on ${name} (fid)`]
          : []),
        ...(table === 'usernames'
          ? [`create index if not exists usernames_hash on ${name} (hash) where hash is not null`]
          : []),
      ]
    }),
    `create table if not exists ${prefix}manifest (
       version text not null, network text not null, first_event_id ${typeOf('integer')} not null,
       last_event_id ${typeOf('integer')} not null, tables_version integer not null default 1,
       finished_at ${typeOf('time')} not null)`,
  ]
}

/** What the table `manifest` of a target says. */
export type Position = { readonly lastEventId: number; readonly tablesVersion: number }

/** Throws ExportRefused unless changes since an event continue what the target has. */
export function checkContinues(position: Position | undefined, since: number): void {
  if (position === undefined) {
    throw new ExportRefused('the target is empty: export everything first, without --since')
  }
  const { lastEventId, tablesVersion } = position
  if (tablesVersion !== TABLES_VERSION) {
    throw new ExportRefused(
      `the tables are of version ${tablesVersion}, and this program writes version ${TABLES_VERSION}: ` +
        'export everything again, without --since',
    )
  }
  if (lastEventId >= since) return
  throw new ExportRefused(
    `the tables end with event ${lastEventId}, and changes from then on are needed: use --since ${lastEventId}`,
  )
}
