import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { parseDatabaseUrl } from '../../kernel/base/database-url.ts'
import { STORE_FILE } from '../../kernel/storage/engines/sqlite.ts'

const { SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_OK, SQLITE_DENY } =
  constants
/** The wish to read at all; what is read is asked for by itself. */
const HARMLESS = [SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE]

// Statements of a person on the SQL views: they read, and they read nothing else, because tables beside the views hold tokens.

export type SqlAnswer = {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** Whether there are more rows. */
  readonly isCut: boolean
}

/** The statement cannot be answered; the message says why. */
export class SqlRefused extends Error {}

/** The views of a store; a migration of this feature makes them. */
const IS_VIEW = /^sql_[a-z_]+$/
/** More is for an export. */
export const MAX_SQL_ROWS = 10_000
/** A statement of an analyst may read the whole store. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000

type Place = { readonly databaseUrl: string | undefined; readonly dataDir: string }

/** Answers one statement while the server runs. */
export const askViews = (place: Place, text: string): Promise<SqlAnswer> =>
  place.databaseUrl === undefined
    ? askSqlite(join(place.dataDir, STORE_FILE), text)
    : askPostgres(place.databaseUrl, text)

async function askSqlite(file: string, text: string): Promise<SqlAnswer> {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const allowed = readsOfViews(database)
    let refused: string | undefined
    database.setAuthorizer((action, table, column, schema, view) => {
      if (HARMLESS.includes(action)) return SQLITE_OK
      const isRead = action === SQLITE_READ
      // Without a schema it is a name of the statement itself, such as one that `with` gives.
      const isName = schema === null || schema === '' || IS_VIEW.test(table ?? '')
      if (isRead && (isName || (view !== null && allowed.has(`${table}.${column}`))))
        return SQLITE_OK
      refused ??= isRead ? table! : ''
      return SQLITE_DENY
    })
    return readAll(database, text, () => refused)
  } finally {
    database.close()
  }
}

/** What the views themselves read: a statement may name a subquery of its own like a view, and reads no more by that. */
function readsOfViews(database: DatabaseSync): Set<string> {
  const views = database.prepare("select name from sqlite_schema where type = 'view'").all()
  const read = new Set<string>()
  database.setAuthorizer((action, table, column) => {
    if (action === SQLITE_READ) read.add(`${table}.${column}`)
    return SQLITE_OK
  })
  for (const { name } of views.filter(({ name }) => IS_VIEW.test(String(name)))) {
    database.prepare(`select * from ${name}`)
    database.prepare(`select count(*) from ${name}`)
  }
  return read
}

function readAll(
  database: DatabaseSync,
  text: string,
  refused: () => string | undefined,
): SqlAnswer {
  try {
    const statement = database.prepare(text)
    if (text.slice(statement.sourceSQL.length).trim() !== '') {
      throw new SqlRefused('that is more than one statement: give one')
    }
    statement.setReturnArrays(true)
    const rows: unknown[][] = []
    for (const row of statement.iterate() as Iterable<unknown>) {
      rows.push(row as unknown[])
      if (rows.length > MAX_SQL_ROWS) break
    }
    const columns = statement.columns().map(({ name }) => name)
    return answerOf(columns, rows)
  } catch (error) {
    const table = refused()
    throw table === undefined ? failed(error as Error) : notView(table)
  }
}

async function askPostgres(url: string, text: string): Promise<SqlAnswer> {
  const { Client } = (await import('pg')).default
  const [connectionString] = parseDatabaseUrl(url).hosts
  const client = new Client({ connectionString, application_name: 'rookery sql' })
  await client.connect()
  try {
    await client.query(`set statement_timeout = ${STATEMENT_TIMEOUT_MS}`)
    const statement = text.replace(/;\s*$/, '')
    // A view of the statement tells what it reads. It goes with the transaction.
    await client.query('begin')
    await ask(client, `create temporary view rookery_asked as ${statement}`)
    const { rows: read } = await client.query<{ name: string }>(
      `select distinct c.relname as name from pg_rewrite r join pg_depend d on d.objid = r.oid
         join pg_class c on c.oid = d.refobjid
        where r.ev_class = 'rookery_asked'::regclass and c.oid <> r.ev_class`,
    )
    await client.query('rollback')
    const other = read.find(({ name }) => !IS_VIEW.test(name))
    if (other) throw notView(other.name)
    await client.query('begin read only')
    const { fields, rows } = await ask(
      client,
      `select * from (${statement}) asked limit ${MAX_SQL_ROWS + 1}`,
    )
    return answerOf(
      fields.map(({ name }) => name),
      rows,
    )
  } finally {
    await client.end()
  }
}

/** One statement: the protocol with parameters takes no further ones behind it. */
async function ask(client: pg.Client, text: string): Promise<pg.QueryArrayResult> {
  try {
    const query = { text, rowMode: 'array' as const, queryMode: 'extended' }
    return await client.query(query as pg.QueryArrayConfig)
  } catch (error) {
    throw failed(error as Error)
  }
}

const answerOf = (columns: readonly string[], rows: readonly unknown[][]): SqlAnswer => ({
  columns,
  rows: rows.slice(0, MAX_SQL_ROWS),
  isCut: rows.length > MAX_SQL_ROWS,
})

/** As SQLite and PostgreSQL say that there is no such table. */
const NO_TABLE = /no such table: (\S+)|relation "([^"]+)" does not exist/

function failed({ message }: Error): SqlRefused {
  const missing = NO_TABLE.exec(message)
  return missing ? notView((missing[1] ?? missing[2])!) : new SqlRefused(message)
}

function notView(table: string): SqlRefused {
  const what = table === '' ? 'the statement does more than read' : `${table} is no SQL view`
  return new SqlRefused(
    `${what}: ask sql_casts, sql_reactions, sql_links, sql_user_data or sql_users with select (docs/export.md)`,
  )
}
