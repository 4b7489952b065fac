import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Mutex } from '../../base/concurrency.ts'
import { freeBytesAt } from '../disk-use.ts'
import { fileCautions } from './cautions.ts'
import { finishesLog, flushing, MAX_LOG_PAGES, startCheckpoints } from './checkpoints.ts'
import { type Dialect, type Engine, type TransactionOptions, untilEnded } from './engine.ts'
import type { InputColumns, InputRow, ListStatement, Row, Sql, SqlValue } from './sql.ts'
import { bundledText, unbundled } from './sqlite-bundles.ts'
import { SQLITE_WORDS } from './sqlite-words.ts'
import { tellList, tellStatement } from './statements.ts'
import { StoreUnavailable } from './unavailable.ts'
import { inWriteTurn } from './write-turn.ts'

/** The file of a store in its directory. */
export const STORE_FILE = 'rookery.sqlite'
/** How long a statement waits for a lock of another program. Writers of this process take turns. */
const BUSY_TIMEOUT_MS = 5_000
/** Pages of the write-ahead log of derived data from which on a commit copies it into the main file. */
export const DERIVED_LOG_PAGES = 4_000
/** Of derived data: a power cut loses the last commits, and breaks nothing. */
export const DERIVED_FLUSHING = 'pragma synchronous = normal'
/**
 * Sizes of SQLite's page cache, one for each connection. A writer changes pages all over the file, so its cache is the
 * largest. Larger caches were no faster, because the operating system caches the file too.
 */
const WRITER_CACHE_KIB = 8 * 1024
const READER_CACHE_KIB = 4 * 1024
const SMALL_CACHE_KIB = 2 * 1024

type Caches = { readonly reader: number; readonly writer: number }
const OWNER_CACHES: Caches = { reader: READER_CACHE_KIB, writer: SMALL_CACHE_KIB }
const THREAD_CACHES: Caches = { reader: SMALL_CACHE_KIB, writer: WRITER_CACHE_KIB }
const DERIVED_CACHES: Caches = { reader: SMALL_CACHE_KIB, writer: WRITER_CACHE_KIB }

const DIALECT: Dialect = {
  engine: 'sqlite',
  bytes: 'blob',
  rowKey: 'integer primary key',
  clustered: 'without rowid',
  // The rows of a clustered table have all columns.
  covering: () => '',
  empty: (table) => `delete from ${table}`,
}

/** How a file is connected to. */
type Use = {
  readonly caches: Caches
  /** For the writing connection. */
  readonly prepare: string
  /** Whether a thread of the owner makes checkpoints. Otherwise commits make them. */
  readonly hasCheckpoints: boolean
}

/** Another process holds the data; the message names the file. */
export class DataInUseError extends Error {}

/**
 * Opens (or creates) the embedded store. Writes are flushed to disk at commit (WAL, synchronous FULL).
 * Throws `DataInUseError` when another process has the same file open as its store.
 */
export function openSqlite(file: string, { flushes = true }: SqliteOptions = {}): SqliteEngine {
  keepPrivate(file)
  const owner = takeOwnership(file)
  const prepare = flushing(flushes)
  const engine = connect(file, { caches: OWNER_CACHES, prepare, hasCheckpoints: true })
  const checkpoints = startCheckpoints({ file, flushes })
  return {
    ...engine,
    async close() {
      await checkpoints.close()
      await engine.close()
      owner.close()
    },
  }
}

/** `flushes`: whether a commit waits for the disk. */
type SqliteOptions = { readonly flushes?: boolean }

/** The embedded store, whose reads may see the tables of a second file. */
export type SqliteEngine = Engine & {
  /** Lets reads outside of transactions see the tables of another file, whose names must differ. */
  attach(file: string): void
}

/** Connects to a store that this process has opened already. */
export function joinSqlite(file: string, { flushes = true }: SqliteOptions = {}): SqliteEngine {
  return connect(file, {
    caches: THREAD_CACHES,
    prepare: flushing(flushes),
    hasCheckpoints: true,
  })
}

/**
 * Opens (or creates) a file of derived data beside the store. A commit is not flushed at once: after a power
 * cut the last transactions are undone, in order, and none is undone in part.
 */
export function openDerivedSqlite(file: string): SqliteEngine {
  keepPrivate(file, ['', '-wal', '-shm'])
  return connect(file, {
    caches: DERIVED_CACHES,
    prepare: DERIVED_FLUSHING,
    hasCheckpoints: false,
  })
}

function connect(file: string, { caches, prepare, hasCheckpoints }: Use): SqliteEngine {
  const writer = openConnection(file, caches.writer)
  const logPages = hasCheckpoints ? MAX_LOG_PAGES : DERIVED_LOG_PAGES
  // Deleted rows must not stay in free pages, which backups copy. The cost is too small to measure.
  writer.database.exec(
    `${prepare}; pragma secure_delete = on; pragma wal_autocheckpoint = ${logPages}`,
  )
  writer.database.exec('pragma journal_mode = wal')
  const afterCommit = hasCheckpoints ? finishesLog(writer.database) : () => {}
  const reader = openConnection(file, caches.reader)
  const transactions = new Mutex()

  return {
    dialect: DIALECT,
    words: SQLITE_WORDS,
    isExclusive: true,
    hasNarrowMessages: true,
    scannedPerLookup: 5,
    all: reader.all,
    each: reader.each,
    bundled: reader.bundled,
    attach(other) {
      reader.database.prepare('attach database ? as attached').run(other)
      reader.database.exec(`pragma attached.cache_size = -${READER_CACHE_KIB}`)
    },
    transaction: (work, options) =>
      transactions.run(() =>
        inWriteTurn(file, async () => {
          const result = await inTransaction(writer, work, options)
          afterCommit()
          return result
        }),
      ),
    async ping() {
      await reader.all('select 1 as one')
    },
    async sizeBytes() {
      return [file, `${file}-wal`].reduce((sum, path) => sum + sizeOf(path), 0)
    },
    async diskBytes() {
      const [row] = await reader.all(
        `select (page_count - freelist_count) * page_size as used, freelist_count * page_size as unused
         from pragma_page_count, pragma_freelist_count, pragma_page_size`,
      )
      const { used, unused } = row as { used: number; unused: number }
      return { usedBytes: used, freeBytes: unused + freeBytesAt(dirname(file)) }
    },
    async cautions() {
      return fileCautions(dirname(file))
    },
    async close() {
      await transactions.idle()
      reader.database.close()
      writer.database.close()
    },
  }
}

const OWNER_ONLY = 0o600

/**
 * Lets only their user read the files of the store, which hold tokens of key requests. SQLite gives new
 * files beside the database its mode; those of earlier versions are corrected.
 */
function keepPrivate(file: string, ends = ['', '-owner', '-wal', '-shm']): void {
  for (const end of ends.slice(0, ends.indexOf('-wal'))) {
    closeSync(openSync(file + end, 'a', OWNER_ONLY))
  }
  for (const path of ends.map((end) => file + end)) {
    if (statSync(path, { throwIfNoEntry: false })) chmodSync(path, OWNER_ONLY)
  }
}

/**
 * Holds an exclusive lock on a file beside the database for as long as the process lives. The lock is
 * the operating system's, so a crash releases it.
 */
function takeOwnership(file: string): DatabaseSync {
  const owner = new DatabaseSync(`${file}-owner`, { timeout: 0 })
  try {
    owner.exec('pragma locking_mode = exclusive; begin exclusive')
    return owner
  } catch (error) {
    owner.close()
    if (!isBusy(error)) throw error
    throw new DataInUseError(
      `${file} is in use by another process. Stop it, or give this one its own ROOKERY_DATA_DIR.`,
    )
  }
}

export type Connection = Sql & { database: DatabaseSync; run(text: string): void }

type Prepared = { readonly statement: StatementSync; readonly columns: readonly string[] }

/** Adds rows to `found`. SQLite returns them as arrays: the objects that it can make cost two to three times as much. */
function rowsOf(prepared: Prepared, values: readonly SqlValue[], found: Row[] = []): Row[] {
  const { statement, columns } = prepared
  const rows: unknown[] = statement.all(...values)
  for (const cells of rows as SqlValue[][]) {
    const row: Row = {}
    for (let i = 0; i < columns.length; i++) row[columns[i]!] = cells[i]!
    found.push(row)
  }
  return found
}

/** `defensive`: whether SQLite refuses statements that may damage the file; it does unless given. */
export function openConnection(
  file: string,
  cacheKib: number,
  { defensive = true }: { readonly defensive?: boolean } = {},
): Connection {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, defensive })
  database.exec(
    `${flushing(true)}; pragma foreign_keys = on; pragma cache_size = -${cacheKib};
     pragma temp_store = memory`,
  )
  const statements = new Map<string, Prepared>()
  const prepare = (text: string): Prepared => {
    let prepared = statements.get(text)
    if (!prepared) {
      const statement = database.prepare(text)
      statement.setReturnArrays(true)
      prepared = { statement, columns: statement.columns().map(({ name }) => name) }
      statements.set(text, prepared)
    }
    return prepared
  }
  // Not StatementSync.run: it fails on the ids that the full-text index gives its own rows.
  const run = (text: string) => void rowsOf(prepare(text), [])
  return {
    database,
    run,
    async all(text, parameters = []) {
      tellStatement('sqlite', text, parameters)
      return rowsOf(prepare(text), parameters)
    },
    async bundled(select, parameters = []) {
      tellStatement('sqlite', select.text, parameters)
      const text = bundledTexts.getOrInsertComputed(select.text, () => bundledText(select))
      const [row] = rowsOf(prepare(text), parameters)
      return unbundled(select.columns, row!)
    },
    async each<C extends InputColumns>(
      statement: ListStatement<C>,
      rows: readonly InputRow<C>[],
    ): Promise<Row[]> {
      tellList('sqlite', statement, rows)
      const prepared = prepare(listTexts.getOrInsertComputed(statement, listText))
      const columns = Object.keys(statement.columns)
      if (isOneNumber(statement)) {
        const list = JSON.stringify(rows.map((row) => (row as Row)[columns[0]!] ?? null))
        return rowsOf(prepared, [list])
      }
      const found: Row[] = []
      const values = new Array<SqlValue>(columns.length)
      // Beginning and ending a read takes a third as long as finding a message, so all rows share one.
      const beginsRead = rows.length > 1 && !database.isTransaction
      if (beginsRead) run('begin')
      try {
        for (const row of rows) {
          for (let i = 0; i < columns.length; i++) values[i] = (row as Row)[columns[i]!] ?? null
          rowsOf(prepared, values, found)
        }
      } finally {
        if (beginsRead && database.isTransaction) run('commit')
      }
      return found
    },
  }
}

/** Lists of numbers, such as ids, are passed as JSON, and the statement runs once. */
const isOneNumber = ({ columns, rowText }: ListStatement): boolean => {
  const types = Object.values(columns)
  return rowText === undefined && types.length === 1 && types[0] === 'bigint'
}

const bundledTexts = new Map<string, string>()
const listTexts = new Map<ListStatement, string>()

function listText(statement: ListStatement): string {
  const { columns, text, rowText } = statement
  if (rowText !== undefined) return rowText
  const names = Object.keys(columns)
  const rows = isOneNumber(statement)
    ? 'select value from json_each(?)'
    : `values (${names.map(() => '?').join(', ')})`
  return `with recursive input(${names.join(', ')}) as (${rows}) ${text}`
}

export async function inTransaction<T>(
  writer: Connection,
  work: (sql: Sql, opened: readonly Row[][]) => Promise<T>,
  { opening = [] }: TransactionOptions = {},
): Promise<T> {
  const scope = untilEnded(writer)
  try {
    writer.run('begin immediate')
    const opened: Row[][] = []
    for (const { text, parameters } of opening) opened.push(await writer.all(text, parameters))
    const result = await work(scope.sql, opened)
    scope.end()
    writer.run('commit')
    return result
  } catch (error) {
    scope.end()
    if (writer.database.isTransaction) writer.run('rollback')
    if (isFull(error)) throw new StoreUnavailable('full', 'the disk is full', error)
    if (isBusy(error))
      throw new StoreUnavailable('timeout', 'another program locks the data', error)
    throw error
  }
}

const isBusy = (error: unknown) => errcode(error) === 5 || errcode(error) === 6
const isFull = (error: unknown) => errcode(error) === 13
/** The primary result code of an error. */
export const errcode = (error: unknown) => ((error as { errcode?: number })?.errcode ?? 0) & 0xff

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
