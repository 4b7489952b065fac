import pg from 'pg'
import { sqlType } from './columns.ts'
import { ExportRefused } from './export.ts'
import type { ManifestHead, Sink, TableSummary } from './sink.ts'
import {
  applyItems,
  checkContinues,
  createStatements,
  onConflict,
  type StateWriter,
  storedRow,
} from './state.ts'
import { type Item, type Row, TABLE_NAMES, type TableName } from './tables.ts'

export const EXPORT_SCHEMA = 'rookery_export'

/** Exports before version 2 of the tables did not say theirs. */
const TELL_VERSION = `alter table ${EXPORT_SCHEMA}.manifest
  add column if not exists tables_version integer not null default 1`

/** Keeps the tables of an export in a schema of a PostgreSQL, in one transaction: readers see the state before or after. */
export class PostgresSink implements Sink, StateWriter {
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
      for (const text of [...createStatements(`${EXPORT_SCHEMA}.`, sqlType), TELL_VERSION]) {
        await client.query(text)
      }
      await client.query(`lock table ${EXPORT_SCHEMA}.manifest in exclusive mode`)
      if (since === undefined) await emptyTables(client)
      else await checkPosition(client, since)
      return new PostgresSink(client, since === undefined)
    } catch (error) {
      await client.end()
      throw error
    }
  }

  write(items: readonly Item[]): Promise<void> {
    return applyItems(this, items, this.#isWhole)
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

  async put(table: TableName, rows: readonly Row[]): Promise<void> {
    const name = `${EXPORT_SCHEMA}.${table}`
    await this.#client.query(
      `insert into ${name} select * from json_populate_recordset(null::${name}, $1) ${onConflict(table)}`,
      [JSON.stringify(rows.map((row) => storedRow(table, row)))],
    )
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows.length)
  }

  async remove(removal: Row): Promise<void> {
    const { kind, event_id: eventId, hash, name } = removal
    const [column, value] = hash === null ? ['name', name] : ['hash', hash]
    await this.#client.query(
      `delete from ${EXPORT_SCHEMA}.${kind} where ${column} = $1 and coalesce(event_id, 0) <= $2`,
      [value, eventId],
    )
  }

  async replaceLinks({ fid, type, timestamp, targets }: Row): Promise<void> {
    await this.#client.query(
      `delete from ${EXPORT_SCHEMA}.link_states where fid = $1 and type = $2`,
      [fid, type],
    )
    await this.#client.query(
      `delete from ${EXPORT_SCHEMA}.links where fid = $1 and type = $2
         and timestamp <= to_timestamp($3) and target_fid <> all ($4::bigint[])`,
      [fid, type, timestamp, targets],
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

async function emptyTables(client: pg.Client): Promise<void> {
  // Not `truncate`, which readers would wait for.
  for (const table of TABLE_NAMES) await client.query(`delete from ${EXPORT_SCHEMA}.${table}`)
}

async function checkPosition(client: pg.Client, since: number): Promise<void> {
  const { rows } = await client.query(
    `select last_event_id, tables_version from ${EXPORT_SCHEMA}.manifest`,
  )
  const position = rows[0] && {
    lastEventId: Number(rows[0].last_event_id),
    tablesVersion: rows[0].tables_version,
  }
  checkContinues(position, since)
}
