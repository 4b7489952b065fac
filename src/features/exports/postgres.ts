import pg from 'pg'
import { sqlType } from './columns.ts'
import { ExportRefused } from './export.ts'
import { jsonRow } from './formats.ts'
import type { ManifestHead, Sink, TableSummary } from './sink.ts'
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

export const EXPORT_SCHEMA = 'rookery_export'

/** Tables whose rows are changed by what follows. Removals are only recorded. */
const isState = (table: TableName) => table !== 'removals'

/** Keeps the tables of an export in a schema of a PostgreSQL, in one transaction: readers see the state before or after. */
export class PostgresSink implements Sink {
  readonly #client: pg.Client
  readonly #isWhole: boolean
  readonly #rows = new Map<TableName, number>()

  private constructor(client: pg.Client, isWhole: boolean) {
    this.#client = client
    this.#isWhole = isWhole
  }

  /** `since`: the event up to which the tables must have everything; undefined: they are written anew. */
  static async open(url: string, since: number | undefined): Promise<PostgresSink> {
    const client = await connect(url)
    try {
      await checkEncoding(client)
      await client.query('begin')
      await client.query(`create schema if not exists ${EXPORT_SCHEMA}`)
      for (const text of createStatements()) await client.query(text)
      await client.query(`lock table ${EXPORT_SCHEMA}.manifest in exclusive mode`)
      if (since === undefined) await emptyTables(client)
      else await checkPosition(client, since)
      return new PostgresSink(client, since === undefined)
    } catch (error) {
      await client.end()
      throw error
    }
  }

  async write(items: readonly Item[]): Promise<void> {
    const pending = new Map<TableName, Map<string, Row>>()
    const flush = async () => {
      for (const [table, rows] of pending) await this.#put(table, [...rows.values()])
      pending.clear()
    }
    for (const { table, row } of items) {
      // What it removes may be among the rows before it.
      if (!this.#isWhole && (table === 'removals' || table === 'link_states')) {
        await flush()
        await this.#remove(table, row)
      }
      const rows = pending.get(table) ?? new Map<string, Row>()
      pending.set(table, rows)
      // One statement cannot write a row twice.
      rows.set(JSON.stringify(tableOf(table).key.map((name) => row[name])), row)
    }
    await flush()
  }

  async finish(head: ManifestHead): Promise<Record<TableName, TableSummary>> {
    await this.#client.query(`delete from ${EXPORT_SCHEMA}.manifest`)
    await this.#client.query(
      `insert into ${EXPORT_SCHEMA}.manifest
         (version, tables_version, network, first_event_id, last_event_id, finished_at)
       values ($1, $2, $3, $4, $5, now())`,
      [head.version, head.tablesVersion, head.network, head.firstEventId, head.lastEventId],
    )
    await this.#client.query('commit')
    await this.#client.end()
    const tables = TABLE_NAMES.map((table) => [table, { rows: this.#rows.get(table) ?? 0 }])
    return Object.fromEntries(tables) as Record<TableName, TableSummary>
  }

  async abort(): Promise<void> {
    // The server undoes the transaction of a connection that ends.
    await this.#client.end()
  }

  async #put(table: TableName, rows: readonly Row[]): Promise<void> {
    const { columns, key, isFreeText } = tableOf(table)
    const name = `${EXPORT_SCHEMA}.${table}`
    const others = Object.keys(columns).filter((column) => !key.includes(column))
    const update = isState(table)
      ? `update set ${[...others, ...(isFreeText ? [ZERO_BYTES] : [])]
          .map((column) => `${column} = excluded.${column}`)
          .join(', ')}`
      : 'nothing'
    await this.#client.query(
      `insert into ${name} select * from json_populate_recordset(null::${name}, $1)
       on conflict (${keyText(table)}) do ${update}`,
      [jsonText(table, rows)],
    )
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows.length)
  }

  async #remove(table: TableName, row: Row): Promise<void> {
    if (table === 'link_states') {
      // The feed does not list what a compact state deletes: it follows from it.
      const { fid, type, timestamp, targets } = row
      await this.#client.query(
        `delete from ${EXPORT_SCHEMA}.link_states where fid = $1 and type = $2`,
        [fid, type],
      )
      await this.#client.query(
        `delete from ${EXPORT_SCHEMA}.links where fid = $1 and type = $2
           and timestamp <= to_timestamp($3) and target_fid <> all ($4::bigint[])`,
        [fid, type, timestamp, targets],
      )
      return
    }
    const kind = row.kind as TableName
    const [column, value] = row.hash === null ? ['name', row.name] : ['hash', row.hash]
    await this.#client.query(
      `delete from ${EXPORT_SCHEMA}.${kind} where ${column} = $1 and coalesce(event_id, 0) <= $2`,
      [value, row.event_id],
    )
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'rookery export' })
  await client.connect().catch((error: Error) => {
    throw new ExportRefused(`the PostgreSQL of --to cannot be connected to: ${error.message}`)
  })
  return client
}

/** The last event that the tables have; undefined: they are empty, or there are none. */
export async function positionIn(url: string): Promise<number | undefined> {
  const client = await connect(url)
  try {
    const { rows: tables } = await client.query('select to_regclass($1) as name', [
      `${EXPORT_SCHEMA}.manifest`,
    ])
    if (tables[0].name === null) return undefined
    const { rows } = await client.query(`select last_event_id from ${EXPORT_SCHEMA}.manifest`)
    return rows[0] && Number(rows[0].last_event_id)
  } finally {
    await client.end()
  }
}

/** Texts of casts have every character, which other encodings lack. */
async function checkEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding')
  const encoding = rows[0]?.server_encoding
  if (encoding === 'UTF8') return
  throw new ExportRefused(
    `the PostgreSQL of --to has the encoding ${encoding} and must have UTF8. Make another database with: ` +
      "CREATE DATABASE … ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;",
  )
}

const keyText = (table: TableName): string =>
  tableOf(table)
    .key.map((column) =>
      isState(table) ? column : `(coalesce(${column}, ${EMPTY[column] ?? "''"}))`,
    )
    .join(', ')
/** A key of removals has columns that may be null. */
const EMPTY: Readonly<Record<string, string>> = { event_id: '0' }

function jsonText(table: TableName, rows: readonly Row[]): string {
  const described = tableOf(table)
  const objects = rows.map((row) => ({
    ...jsonRow(described, row),
    ...(described.isFreeText && { [ZERO_BYTES]: hasZeroBytes(row) }),
  }))
  return withoutZeroBytes(JSON.stringify(objects).replaceAll('\\u0000', '\u{fffd}'))
}

function createStatements(): string[] {
  return [
    ...TABLE_NAMES.flatMap((table) => {
      const { columns, isFreeText } = tableOf(table)
      const name = `${EXPORT_SCHEMA}.${table}`
      const defined = Object.entries(columns).map(([column, type]) => `${column} ${sqlType(type)}`)
      if (isFreeText) defined.push(`${ZERO_BYTES} boolean`)
      return [
        `create table if not exists ${name} (${defined.join(', ')})`,
        `create unique index if not exists ${table}_key on ${name} (${keyText(table)})`,
        ...(isState(table) && table !== 'fids'
          ? [`create index if not exists ${table}_fid on ${name} (fid)`]
          : []),
        ...(table === 'usernames'
          ? [`create index if not exists usernames_hash on ${name} (hash) where hash is not null`]
          : []),
      ]
    }),
    `create table if not exists ${EXPORT_SCHEMA}.manifest (
       version text not null, network text not null, first_event_id bigint not null,
       last_event_id bigint not null, finished_at timestamptz not null)`,
    // Exports before version 2 of the tables did not say theirs.
    `alter table ${EXPORT_SCHEMA}.manifest add column if not exists tables_version integer not null default 1`,
  ]
}

async function emptyTables(client: pg.Client): Promise<void> {
  // Not `truncate`, which readers would wait for.
  for (const table of TABLE_NAMES) await client.query(`delete from ${EXPORT_SCHEMA}.${table}`)
}

async function checkPosition(client: pg.Client, since: number): Promise<void> {
  const { rows } = await client.query(
    `select last_event_id, tables_version from ${EXPORT_SCHEMA}.manifest`,
  )
  if (rows[0] !== undefined && rows[0].tables_version !== TABLES_VERSION) {
    throw new ExportRefused(
      `the tables are of version ${rows[0].tables_version}, and this program writes version ${TABLES_VERSION}: ` +
        'export everything again, without --since',
    )
  }
  const last = rows[0] === undefined ? undefined : Number(rows[0].last_event_id)
  if (last !== undefined && last >= since) return
  throw new ExportRefused(
    last === undefined
      ? 'the schema rookery_export is empty: export everything first, without --since'
      : `the tables end with event ${last}, and changes from then on are needed: use --since ${last}`,
  )
}
