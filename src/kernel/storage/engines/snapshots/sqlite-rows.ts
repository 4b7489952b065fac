import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { flushing, MAX_LOG_PAGES } from '../checkpoints.ts'
import type { Sql } from '../sql.ts'
import { DERIVED_FLUSHING, DERIVED_LOG_PAGES, inTransaction, openConnection } from '../sqlite.ts'
import { inWriteTurn } from '../write-turn.ts'
import { LogReader, type RowidRanges } from './sqlite-log.ts'

// Rows of a copy are put back in place of those that a database has now. Only rows that differ are written, in one transaction of a
// connection of its own: other connections keep their prepared statements, and the write-ahead log stays short. SQLite's online
// backup, the other way, writes every page and counts as a change of the schema, after which each connection prepares all statements again.
// Triggers fire as rows are put back, numbers of autoincrement stay, and two values that compare as the same are the same: a test
// beside this says what the schema may have for that.

const COPY = 'copy'
/** Of a table with so many rows only those are compared that the log says to have been written. */
const MANY_ROWS = 1_000
/** More places are not worth it. */
const MAX_RANGES = 200
const CACHE_KIB = 2 * 1024

export type PutBackOptions = {
  readonly flushes: boolean
  /** Whether this is a file of derived data. */
  readonly isDerived: boolean
  /** Tables that stay as they are. */
  readonly keptTables: readonly string[]
}

/** How many rows were written; undefined where nobody has written since the last time, so that none were compared. */
export type RowChanges = { readonly removed: number; readonly added: number } | undefined

/** A copy whose rows can be put back again and again. The copy must not change while it is open. */
export type OpenCopy = {
  /**
   * In one transaction, at the start of which `before` reads and in which `after` writes at the end. What `after` writes may stay
   * until the next time.
   */
  putBack<T>(
    before: (sql: Sql) => Promise<T>,
    after: (sql: Sql, found: T) => Promise<void>,
  ): Promise<RowChanges>
  close(): void
}

type Statements = {
  readonly remove: StatementSync
  readonly count: StatementSync
  readonly add: StatementSync
  /** The same of rowids in a range, and around it; undefined where the range of a row that was written is not known. */
  readonly ranged: { readonly remove: StatementSync; readonly add: StatementSync } | undefined
  /** Rows of the copy. */
  readonly rows: number
}

/** The address of a file that nobody changes: SQLite locks nothing then, and makes no files beside it. */
export function unchanging(file: string): URL {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return url
}

export function openCopy(
  file: string,
  copy: string,
  { flushes, isDerived, keptTables }: PutBackOptions,
): OpenCopy {
  // Tables of a full-text index are written as they are.
  const connection = openConnection(file, CACHE_KIB, { defensive: false })
  const { database } = connection
  try {
    database.exec(
      `${isDerived ? DERIVED_FLUSHING : flushing(flushes)}; pragma secure_delete = on; pragma foreign_keys = off;
       pragma wal_autocheckpoint = ${isDerived ? DERIVED_LOG_PAGES : MAX_LOG_PAGES}`,
    )
    database.prepare(`attach ? as ${COPY}`).run(unchanging(copy).href)
    const withLongRows = tablesWithLongRows(copy)
    const statements = tablesIn(database)
      .filter(({ name }) => !keptTables.includes(name))
      .map((table) =>
        statementsOf(database, table, {
          hasLongRows: withLongRows?.has(table.name) ?? true,
        }),
      )
    const log = new LogReader(file)
    const changes = database.prepare('select changes() as n')
    // It changes with each commit of another connection.
    const version = database.prepare('pragma main.data_version')
    let putAt: number | undefined
    return {
      putBack: (before, after) =>
        inWriteTurn(file, async () => {
          const wasAt = putAt
          putAt = undefined
          let isAt = 0
          const changed = await inTransaction(connection, async (sql) => {
            isAt = version.get()!.data_version as number
            const found = await before(sql)
            if (wasAt === undefined) log.forget()
            const written =
              isAt === wasAt ? undefined : await putRowsBack(statements, changes, log.changes())
            await after(sql, found)
            return written
          })
          putAt = isAt
          return changed
        }),
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Rows are removed from all tables first: one that is added may have the unique value of one that goes. Between two tables the
 * thread does other work. `ranges`: in which rows that differ are, if that is known.
 */
async function putRowsBack(
  statements: readonly Statements[],
  changes: StatementSync,
  ranges: RowidRanges | undefined,
): Promise<NonNullable<RowChanges>> {
  // Not StatementSync.run: it fails on the ids that the full-text index gives its own rows.
  const changesBy = (statement: StatementSync, range: readonly bigint[] = []) => {
    statement.all(...range)
    return changes.get()!.n as number
  }
  const near = ranges && ranges.length <= MAX_RANGES ? ranges : undefined
  const changesIn = (statement: StatementSync) =>
    near!.reduce((sum, range) => sum + changesBy(statement, range), 0)
  let removed = 0
  let added = 0
  for (const { remove, ranged } of statements) {
    removed += near && ranged ? changesIn(ranged.remove) : changesBy(remove)
    await turn()
  }
  for (const { count, add, ranged, rows } of statements) {
    // What is left after the removal is in the copy, too.
    const isWhole = () => count.get()!.rows === rows
    if (!isWhole() && near && ranged) added += changesIn(ranged.add)
    // A page from which all rows have gone has no range.
    if (!isWhole()) added += changesBy(add)
    await turn()
  }
  return { removed, added }
}

/** Of the types of tables: not the virtual ones, but those in which they keep their content. */
const HOLDING_ROWS: readonly unknown[] = ['table', 'shadow']

type Table = { readonly name: string; readonly hasRowid: boolean }

/** A select from pragma_table_list takes seconds: for each row it makes the list anew. */
const tablesIn = (database: DatabaseSync): Table[] =>
  database
    .prepare('pragma main.table_list')
    .all()
    .filter(({ name, type }) => HOLDING_ROWS.includes(type) && !String(name).startsWith('sqlite_'))
    .map(({ name, wr }) => ({ name: String(name), hasRowid: wr === 0 }))

/**
 * Of a copy: those with rows that continue on pages of their own, which may be written without the page on which a row begins.
 * Undefined where SQLite was built without the table that tells it.
 */
function tablesWithLongRows(copy: string): ReadonlySet<unknown> | undefined {
  const database = new DatabaseSync(unchanging(copy), { readOnly: true })
  try {
    const options = database.prepare('pragma compile_options').all()
    if (!options.some(({ compile_options }) => compile_options === 'ENABLE_DBSTAT_VTAB')) {
      return undefined
    }
    const found = database
      .prepare("select distinct name from dbstat where pagetype = 'overflow'")
      .all()
    return new Set(found.map(({ name }) => name))
  } finally {
    database.close()
  }
}

function statementsOf(
  database: DatabaseSync,
  { name, hasRowid }: Table,
  { hasLongRows }: { readonly hasLongRows: boolean },
): Statements {
  // Without generated columns: their values follow from the others.
  const found = database
    .prepare('select name, type, pk from pragma_table_xinfo(?) where hidden = 0 order by cid')
    .all(name)
  const columns = found.map((column) => `"${column.name}"`)
  const keys = found.filter(({ pk }) => pk !== 0)
  const isRowidNamed = keys.length === 1 && String(keys[0]!.type).toLowerCase() === 'integer'
  const key = hasRowid ? ['rowid'] : keys.map((column) => `"${column.name}"`)
  const written = (hasRowid && !isRowidNamed ? ['rowid', ...columns] : columns).join(', ')
  const own = `main."${name}"`
  const copied = `${COPY}."${name}"`
  const of = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ')
  const sameKey = key.map((column) => `c.${column} = o.${column}`).join(' and ')
  const same = `${sameKey} and (${of('c')}) is (${of('o')})`
  const prepare = (text: string) => database.prepare(text)
  const rows = Number(prepare(`select count(*) as rows from ${copied}`).get()!.rows)
  const edge = (side: string, otherwise: string) =>
    `coalesce((select rowid from ${own} where rowid ${side} limit 1), ${otherwise})`
  const before = edge('< ? order by rowid desc', '-9223372036854775808')
  const after = edge('> ? order by rowid', '9223372036854775807')
  return {
    ranged:
      hasRowid && !hasLongRows && rows >= MANY_ROWS
        ? {
            remove: prepare(
              `delete from ${own} as o where rowid between ? and ?
                 and not exists (select 1 from ${copied} c where ${same})`,
            ),
            add: prepare(
              `insert into ${own} (${written}) select ${written} from ${copied} c
               where rowid between ${before} and ${after}
                 and not exists (select 1 from ${own} o where ${sameKey})`,
            ),
          }
        : undefined,
    remove: prepare(
      `delete from ${own} as o where not exists (select 1 from ${copied} c where ${same})`,
    ),
    count: prepare(`select count(*) as rows from ${own}`),
    add: prepare(
      `insert into ${own} (${written}) select ${written} from ${copied} c
       where not exists (select 1 from ${own} o where ${sameKey})`,
    ),
    rows,
  }
}
