// Reads tables of an export, and applies changes to them as docs/export.md says.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import type { Format } from '../src/features/exports/formats.ts'
import type { Manifest, ManifestHead } from '../src/features/exports/sink.ts'
import {
  type Item,
  TABLE_NAMES,
  TABLES_VERSION,
  type TableName,
  tableOf,
} from '../src/features/exports/tables.ts'
import { DAY_SECONDS } from '../src/kernel/protocol/time.ts'
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

// Rows of a made-up network, for targets and readers of an export.

/** Monday, the 5th of January 2026. */
const START = Date.UTC(2026, 0, 5) / 1000
export const LAST_EVENT = 646_211_200_000_000
/** Of 20 bytes. */
export const hashOf = (i: number) => `0xfe${String(i).padStart(38, '0')}`

const CHANNELS = ['https://example.com/birds', 'https://example.com/tea', 'https://example.com/x']
const GREETINGS = [
  'good morning',
  'доброе утро',
  'おはよう',
  '좋은 아침',
  'صباح الخير',
  '🐦',
  'सुप्रभात',
  '早上好',
]
const PEOPLE = 12

/** Four weeks of casts, reactions and follows, always the same. */
export function exportItems(count = 300): Item[] {
  let state = 7
  // A generator by Park and Miller: few lines, and the same numbers everywhere.
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  let event = LAST_EVENT - 10_000
  const common = (i: number, fid: number, seconds: number) => ({
    fid,
    hash: hashOf(i),
    timestamp: START + seconds,
    event_id: event++,
  })
  const items: Item[] = []
  const add = (table: TableName, row: Item['row']) => items.push({ table, row })
  for (let fid = 1; fid <= PEOPLE; fid++) {
    const joined = common(10_000 + fid, fid, (fid % 3) * 7 * DAY_SECONDS)
    const address = hashOf(fid)
    add('fids', { ...joined, event_id: null, custody: address, recovery: address })
    for (const index of [0, 1]) {
      add('storage', {
        ...{ ...joined, event_id: null, log_index: index, units: 1 + ((fid + index) % 3) },
        rented_at: joined.timestamp,
      })
    }
    add('user_data', {
      ...common(11_000 + fid, fid, 100),
      field: 'display',
      value: `Person ${fid}`,
    })
  }
  const casts: Item['row'][] = []
  for (let i = 0; i < count; i++) {
    const fid = 1 + random(PEOPLE)
    const seconds = Math.floor((i * 28 * DAY_SECONDS) / count)
    const parent = i > 10 && random(3) === 0 ? casts.at(-1 - random(10)) : undefined
    const isLate = random(4) === 0
    const row = {
      ...common(i, fid, seconds),
      text: GREETINGS[random(GREETINGS.length)]!,
      parent_fid: parent ? parent.fid! : null,
      parent_hash: parent ? parent.hash! : null,
      parent_url: !parent && random(2) === 0 ? CHANNELS[random(random(3) + 1)]! : null,
      mentions: isLate ? [1, 2] : [],
      mention_positions: isLate ? [0, 0] : [],
      embeds: isLate ? [{ url: 'https://example.com/a,"b"', fid: null, hash: null }] : [],
      type: 'cast',
    }
    casts.push(row)
    add('casts', row)
    if (random(2) === 0) {
      const target = casts[random(casts.length)]!
      add('reactions', {
        ...common(20_000 + i, 1 + random(PEOPLE), seconds + random(3_000)),
        kind: random(3) === 0 ? 'recast' : 'like',
        target_fid: target.fid!,
        target_hash: target.hash!,
        target_url: null,
      })
    }
  }
  let followed = 0
  for (let fid = 1; fid <= PEOPLE; fid++) {
    for (const target of [fid + 1, fid * 5, fid + 3].map((one) => 1 + (one % PEOPLE))) {
      if (target === fid) continue
      const link = common(30_000 + followed, fid, followed++ * 12 * 3_600)
      add('links', { ...link, type: fid === 4 ? 'block' : 'follow', target_fid: target })
    }
  }
  add('usernames', {
    ...common(40_000, 1, 200),
    ...{ hash: null, name: 'one', type: 'fname', owner: hashOf(1) },
  })
  return items
}

/** What is known before the rows of an export. */
export const headOf = (since: number | undefined, lastEventId: number): ManifestHead => ({
  format: 1,
  version: 'test',
  tablesVersion: TABLES_VERSION,
  network: 'devnet',
  content: since === undefined ? 'everything' : 'changes',
  fids: null,
  firstEventId: since === undefined ? 0 : since + 1,
  lastEventId,
  startedAt: new Date(0).toISOString(),
})
