import pg from 'pg'
import { unavailableReason } from '../../kernel/storage/engines/unavailable.ts'
import { sqlType } from './columns.ts'
import { ExportRefused, TargetAway } from './export.ts'
import { readItems, type UnreadItem } from './message-rows.ts'
import { type ManifestHead, RowCounts, type Sink, type TableSummary } from './sink.ts'
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
  readonly #client: Client
  readonly #isWhole: boolean
  readonly #rows = new RowCounts()

  private constructor(client: Client, isWhole: boolean) {
    this.#client = client
    this.#isWhole = isWhole
  }

  /** `since`: the event up to which the tables must have everything; undefined: they are written anew. */
  static async open(url: string, since: number | undefined): Promise<PostgresSink> {
    const client = await connect(url)
    try {
      await checkEncoding(client)
      await client.ask('begin')
      await client.ask(`create schema if not exists ${EXPORT_SCHEMA}`)
      for (const text of [...createStatements(`${EXPORT_SCHEMA}.`, sqlType), TELL_VERSION]) {
        await client.ask(text)
      }
      await client.ask(`lock table ${EXPORT_SCHEMA}.manifest in exclusive mode`)
      if (since === undefined) await emptyTables(client)
      else await checkPosition(client, since)
      return new PostgresSink(client, since === undefined)
    } catch (error) {
      await client.end()
      throw error
    }
  }

  write(items: readonly (Item | UnreadItem)[]): Promise<void> {
    return applyItems(this, readItems(items), this.#isWhole)
  }

  async finish(head: ManifestHead): Promise<Record<TableName, TableSummary>> {
    await this.#client.ask(`delete from ${EXPORT_SCHEMA}.manifest`)
    await this.#client.ask(
      `insert into ${EXPORT_SCHEMA}.manifest
         (version, tables_version, network, first_event_id, last_event_id, finished_at)
       values ($1, $2, $3, $4, $5, now())`,
      [head.version, head.tablesVersion, head.network, head.firstEventId, head.lastEventId],
    )
    await this.#client.ask('commit')
    await this.#client.end()
    return this.#rows.summary()
  }

  async abort(): Promise<void> {
    // The server undoes the transaction of a connection that ends.
    await this.#client.end()
  }

  async put(table: TableName, rows: readonly Row[]): Promise<void> {
    const name = `${EXPORT_SCHEMA}.${table}`
    await this.#client.ask(
      `insert into ${name} select * from json_populate_recordset(null::${name}, $1) ${onConflict(table)}`,
      [JSON.stringify(rows.map((row) => storedRow(table, row)))],
    )
    this.#rows.add(table, rows.length)
  }

  async remove(removal: Row): Promise<void> {
    const { kind, event_id: eventId, hash, name } = removal
    const [column, value] = hash === null ? ['name', name] : ['hash', hash]
    await this.#client.ask(
      `delete from ${EXPORT_SCHEMA}.${kind} where ${column} = $1 and coalesce(event_id, 0) <= $2`,
      [value, eventId],
    )
  }

  async replaceLinks({ fid, type, timestamp, targets }: Row): Promise<void> {
    await this.#client.ask(
      `delete from ${EXPORT_SCHEMA}.link_states where fid = $1 and type = $2`,
      [fid, type],
    )
    await this.#client.ask(
      `delete from ${EXPORT_SCHEMA}.links where fid = $1 and type = $2
         and timestamp <= to_timestamp($3) and target_fid <> all ($4::bigint[])`,
      [fid, type, timestamp, targets],
    )
  }
}

const CONNECT_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 10_000

/** A connection whose failures that may pass are told as `TargetAway`. */
class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any statement
  async ask(text: string, values?: unknown[]): Promise<any[]> {
    try {
      const { rows } = await this.query(text, values)
      return rows
    } catch (error) {
      const { message } = error as Error
      if (!mayPass(error as Error)) throw error
      throw new TargetAway(`the PostgreSQL of --to does not answer: ${message}`)
    }
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'rookery export',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A server that vanishes in the middle of a statement is noticed.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  // Lost between two statements: the next one fails, and says so.
  client.on('error', () => {})
  await client.connect().catch((error: Error) => {
    const Failed = mayPass(error) ? TargetAway : ExportRefused
    throw new Failed(`the PostgreSQL of --to cannot be connected to: ${error.message}`)
  })
  return client
}

/** The driver gives no code to a connection that ends. */
const mayPass = (error: Error): boolean =>
  unavailableReason(error) !== undefined ||
  /^Connection terminated|is not queryable$|^timeout expired$/.test(error.message)

/** The last event that the tables have; undefined: they are empty, or there are none. */
export async function positionIn(url: string): Promise<number | undefined> {
  const client = await connect(url)
  try {
    const tables = await client.ask('select to_regclass($1) as name', [`${EXPORT_SCHEMA}.manifest`])
    if (tables[0].name === null) return undefined
    const rows = await client.ask(`select last_event_id from ${EXPORT_SCHEMA}.manifest`)
    return rows[0] && Number(rows[0].last_event_id)
  } finally {
    await client.end()
  }
}

/** Texts of casts have every character, which other encodings lack. */
async function checkEncoding(client: Client): Promise<void> {
  const rows = await client.ask('show server_encoding')
  const encoding = rows[0]?.server_encoding
  if (encoding === 'UTF8') return
  throw new ExportRefused(
    `the PostgreSQL of --to has the encoding ${encoding} and must have UTF8. Make another database with: ` +
      "CREATE DATABASE … ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;",
  )
}

async function emptyTables(client: Client): Promise<void> {
  // Not `truncate`, which readers would wait for.
  for (const table of TABLE_NAMES) await client.ask(`delete from ${EXPORT_SCHEMA}.${table}`)
}

async function checkPosition(client: Client, since: number): Promise<void> {
  const rows = await client.ask(
    `select last_event_id, tables_version from ${EXPORT_SCHEMA}.manifest`,
  )
  const position = rows[0] && {
    lastEventId: Number(rows[0].last_event_id),
    tablesVersion: rows[0].tables_version,
  }
  checkContinues(position, since)
}
