// Copies of a store that are taken while it is in use. SQLite copies its file by its own online backup. A
// PostgreSQL store is read in one snapshot, table by table, as one JSON object a line: that needs no program
// of PostgreSQL's version on this machine. Views are left out, because they are rebuilt from the event log.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { appSignerReader } from './app-signers.ts'
import { appWebhookReader } from './app-webhooks.ts'
import { cursorReader } from './cursors.ts'
import { openPostgres } from './postgres.ts'
import { DATA_TABLES, MIGRATIONS } from './schema.ts'
import type { EngineName, Sql } from './sql.ts'

/** Rows of one read and of one insert: some megabytes at most. */
const ROWS_PER_BATCH = 1_000
/** Pages of one step of a copy: some megabytes. */
const PAGES_PER_STEP = 1_000
const OWNER_ONLY = 0o600

/** The newest schema that this program knows. */
export const SCHEMA = MIGRATIONS.at(-1)!.id

/** Besides the data: the newest ids that writers gave. */
const TABLES = ['lock', ...DATA_TABLES]

/** The engine of a store with these settings. */
export const engineOf = (databaseUrl: string | undefined): EngineName =>
  databaseUrl ? 'postgres' : 'sqlite'

/** A copy of a file brings its schema with it, which the next start upgrades. Rows fit one schema alone. */
export const isRestorable = (engine: EngineName, schema: number): boolean =>
  engine === 'postgres' ? schema === SCHEMA : schema <= SCHEMA

export type BackupFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

/** Copies the file of an embedded store into a directory while a server may use it. */
export async function copySqlite(source: string, directory: string): Promise<string[]> {
  const name = 'rookery.sqlite'
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    // One snapshot: without it SQLite starts the copy again after each write, on a busy server for ever.
    database.exec('begin')
    database.prepare('select count(*) from sqlite_schema').get()
    await copyDatabase(database, join(directory, name), { rate: PAGES_PER_STEP })
  } finally {
    database.close()
  }
  await chmod(join(directory, name), OWNER_ONLY)
  return [name]
}

/** A file of rows, and how many were written to it. */
export type CopiedTable = { readonly name: string; readonly rows: number }

/** What is read of a store to find out which keys it needs. */
const keyedRows = (sql: Sql) => ({
  appSigners: appSignerReader(sql),
  appWebhooks: appWebhookReader(sql),
  cursors: cursorReader(sql),
})
export type CheckKeys<T> = (rows: ReturnType<typeof keyedRows>) => Promise<T>

/**
 * Writes all rows of a PostgreSQL store, as they are at one moment, to files in a directory. `check` sees the same rows.
 */
export async function copyPostgres<T>(
  url: string,
  directory: string,
  check: CheckKeys<T>,
): Promise<{ readonly tables: CopiedTable[]; readonly checked: T }> {
  const engine = openPostgres(url)
  try {
    return await engine.transaction(
      async (sql) => {
        await sql.all('set transaction isolation level repeatable read, read only')
        await checkSchema(sql)
        const copied: CopiedTable[] = []
        for (const table of TABLES) {
          const name = `${table}.jsonl.gz`
          const file = createWriteStream(join(directory, name), { mode: OWNER_ONLY })
          await pipeline(Readable.from(linesOf(sql, table)), createGzip(), file)
          copied.push({ name, rows: await countRows(sql, table) })
        }
        return { tables: copied, checked: await check(keyedRows(sql)) }
      },
      { isUnlimited: true },
    )
  } finally {
    await engine.close()
  }
}

/** In the same snapshot that was copied. */
async function countRows(sql: Sql, table: string): Promise<number> {
  const [row] = await sql.all(`select count(*) as count from "${table}"`)
  return Number(row!.count)
}

/** Reads a file of rows back. Throws unless each line is an object and none is missing. */
export async function readBack(directory: string, { name, rows }: CopiedTable): Promise<number> {
  let found = 0
  for await (const lines of batchesOf(join(directory, name))) {
    for (const line of lines) JSON.parse(line)
    found += lines.length
  }
  if (found === rows) return found
  throw new Error(`${name} has ${found} rows, and the database has ${rows}`)
}

async function checkSchema(sql: Sql): Promise<void> {
  const [row] = await sql.all('select max(id) as id from schema_migration')
  if (Number(row?.id) === SCHEMA) return
  throw new Error(`the store has schema ${row?.id}, and this program copies schema ${SCHEMA} only`)
}

/** The rows of a table as JSON, a line each. */
async function* linesOf(sql: Sql, table: string): AsyncGenerator<string> {
  const cursor = `copy_of_${table}`
  await sql.all(
    `declare ${cursor} no scroll cursor for select row_to_json(t)::text as row from "${table}" t`,
  )
  for (;;) {
    const rows = await sql.all(`fetch ${ROWS_PER_BATCH} from ${cursor}`)
    if (rows.length === 0) break
    yield rows.map(({ row }) => `${row}\n`).join('')
  }
  await sql.all(`close ${cursor}`)
}

/** Puts the rows of a backup into a PostgreSQL store that holds none, all or nothing: nothing when `check` throws. */
export async function restorePostgres(
  url: string,
  directory: string,
  check: CheckKeys<void>,
): Promise<void> {
  const engine = openPostgres(url)
  try {
    await engine.transaction(
      async (sql) => {
        await checkSchema(sql)
        for (const table of TABLES) await sql.all(`delete from "${table}"`)
        for (const table of TABLES) {
          for await (const rows of batchesOf(join(directory, `${table}.jsonl.gz`))) {
            await sql.all(
              `insert into "${table}" select * from json_populate_recordset(null::"${table}", ?::json)`,
              [`[${rows.join(',')}]`],
            )
          }
        }
        await check(keyedRows(sql))
      },
      { isUnlimited: true },
    )
  } finally {
    await engine.close()
  }
}

async function* batchesOf(file: string): AsyncGenerator<string[]> {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) })
  let rows: string[] = []
  for await (const line of lines) {
    rows.push(line)
    if (rows.length < ROWS_PER_BATCH) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** Whether a PostgreSQL store holds anything that a restore would replace. */
export async function holdsData(url: string): Promise<boolean> {
  const engine = openPostgres(url)
  try {
    for (const table of ['message', 'event', 'name_transfer', 'channel']) {
      if ((await engine.all(`select 1 as one from "${table}" limit 1`)).length > 0) return true
    }
    return false
  } finally {
    await engine.close()
  }
}

/** Size and hash of a file of a backup. */
export async function describeFile(directory: string, name: string): Promise<BackupFile> {
  const path = join(directory, name)
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { name, bytes: (await stat(path)).size, sha256: hash.digest('hex') }
}
