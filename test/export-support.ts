// Reads tables of an export, and applies changes to them as docs/export.md says.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import type { Format } from '../src/features/exports/formats.ts'
import type { Manifest } from '../src/features/exports/sink.ts'
import { TABLE_NAMES, type TableName, tableOf } from '../src/features/exports/tables.ts'
import { adminQuery } from './postgres.ts'

export type Row = Record<string, unknown>
export type Tables = Record<TableName, Row[]>

/** All tables of an export as rows of JSON. */
export async function read(directory: string, manifest: Manifest, format: Format): Promise<Tables> {
  const tables = await Promise.all(
    TABLE_NAMES.map(async (table) => {
      const files = manifest.tables[table].files ?? []
      const rows = await Promise.all(
        files.map(({ name }) => READERS[format](join(directory, name), table)),
      )
      return [table, rows.flat()]
    }),
  )
  return Object.fromEntries(tables)
}

export const READERS: Record<Format, (path: string, table: TableName) => Promise<Row[]>> = {
  ndjson: async (path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line)),
  async csv(path, table) {
    return parseCsv(readFileSync(path, 'utf8')).map(({ has_zero_bytes: _, ...row }) =>
      Object.fromEntries(
        Object.entries(row).map(([name, text]) => [name, csvValue(table, name, text)]),
      ),
    )
  },
  async parquet(path) {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
    return rows.map((row) => plain(row) as Row)
  },
}

/** A value of Parquet as JSON has it. */
export function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plain(own)]))
}

/** hyparquet decompresses Snappy alone by itself. */
export const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) }

const TEXTS =
  /^(text|parent_url|target_url|value|name|kind|type|field|hash|.*_hash|timestamp|.*_at|custody|recovery|key|state|address|protocol|owner|reason)$/

function csvValue(_table: TableName, name: string, text: string | null): unknown {
  return text === null || TEXTS.test(name) ? text : JSON.parse(text)
}

/** A reader of CSV, quotes and all: null is nothing, and an empty text is two quotes. */
export function parseCsv(text: string): Record<string, string | null>[] {
  const records: (string | null)[][] = [[]]
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/gy
  for (let match = pattern.exec(text); match && match[0] !== ''; match = pattern.exec(text)) {
    const [, quoted, bare, end] = match
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? (bare === '' ? null : bare!))
    if (end === '\n') records.push([])
  }
  const [head, ...rows] = records.filter((record) => record.length > 0)
  return rows.map((row) => Object.fromEntries(head!.map((name, i) => [name!, row[i] ?? null])))
}

/** Tables to which the rows of a later folder are applied, as docs/export.md says. */
export function withChanges(tables: Tables, changes: Tables): Tables {
  const result = Object.fromEntries(
    TABLE_NAMES.map((table) => [table, [...tables[table]]]),
  ) as Tables
  const remove = (table: TableName, isGone: (row: Row) => boolean) => {
    result[table] = result[table].filter((row) => !isGone(row))
  }
  const steps = TABLE_NAMES.flatMap((table) => changes[table].map((row) => ({ table, row })))
  const rank = ({ table }: { table: TableName }) => (table === 'removals' ? 0 : 1)
  steps.sort((a, b) => Number(a.row.event_id) - Number(b.row.event_id) || rank(a) - rank(b))
  for (const { table, row } of steps) {
    if (table === 'removals') {
      const column = row.hash === null ? 'name' : 'hash'
      remove(row.kind as TableName, (one) => one[column] === row[column])
      continue
    }
    if (table === 'link_states') {
      const isOfState = (one: Row) => one.fid === row.fid && one.type === row.type
      remove('link_states', isOfState)
      remove(
        'links',
        (one) =>
          isOfState(one) &&
          (one.timestamp as string) <= (row.timestamp as string) &&
          !(row.targets as number[]).includes(one.target_fid as number),
      )
    }
    remove(table, (one) => tableOf(table).key.every((name) => one[name] === row[name]))
    result[table].push(row)
  }
  return result
}

export const sorted = (rows: readonly Row[]): string[] =>
  rows.map((row) => JSON.stringify(row)).sort()

/** Rows of accounts and names say in changes which event they are of. */
export const withoutEvent = ({ event_id: _, ...row }: Row): Row => row

export async function tablesIn(url: string): Promise<Tables> {
  const tables = await Promise.all(
    TABLE_NAMES.map(async (table) => [
      table,
      await adminQuery(url, `select * from rookery_export.${table} order by 1, 2`),
    ]),
  )
  return Object.fromEntries(tables)
}
