import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { flush } from '../../kernel/base/flush.ts'
import { sqliteType } from './columns.ts'
import { ExportRefused, TargetAway } from './export.ts'
import { readItems, type UnreadItem } from './message-rows.ts'
import { type ManifestHead, RowCounts, type Sink, type TableSummary } from './sink.ts'
import {
  applyItems,
  checkContinues,
  createStatements,
  onConflict,
  type Position,
  type StateWriter,
  storedColumns,
  storedRow,
} from './state.ts'
import type { Item, Row, TableName } from './tables.ts'

const OWNER_ONLY_FILE = 0o600
/** For readers, which hold a file for as long as a statement takes. The wait holds up this process, too. */
const BUSY_TIMEOUT_MS = 2_000
/** What SQLite answers while others hold a file. */
const SQLITE_BUSY = 5
/** What it answers when the disk has no room. */
const SQLITE_FULL = 13
/**
 * Of a file that is changed: what is removed leaves no bytes in it, and readers are locked out by the commit alone, because no
 * page is written before.
 */
const CHANGED = 'pragma secure_delete = on; pragma cache_spill = off'

/**
 * Keeps the tables of an export in a file of SQLite. Everything is written beside it and renamed, so that readers wait for
 * nothing; changes are one transaction in the file.
 */
export class SqliteSink implements Sink, StateWriter {
  readonly #database: DatabaseSync
  readonly #file: string
  /** The file that is written anew; undefined: changes go into the file itself. */
  readonly #part: string | undefined
  readonly #inserts = new Map<TableName, StatementSync>()
  readonly #rows = new RowCounts()

  private constructor(database: DatabaseSync, file: string, part?: string) {
    this.#database = database
    this.#file = file
    this.#part = part
  }

  /** `since`: the event up to which the file must have everything; undefined: it is written anew. */
  static async open(file: string, since: number | undefined): Promise<SqliteSink> {
    if (since === undefined) {
      checkReplaceable(file)
      const part = newPart(file)
      const database = new DatabaseSync(part)
      const sink = new SqliteSink(database, file, part)
      try {
        database.exec('pragma journal_mode = memory; pragma synchronous = off; begin')
        for (const text of createStatements('', sqliteType)) database.exec(text)
        return sink
      } catch (error) {
        await sink.abort()
        throw faultOf(file, error)
      }
    }
    if (!existsSync(file)) checkContinues(undefined, since)
    const database = openExport(file)
    try {
      database.exec(`${CHANGED}; begin immediate`)
      checkContinues(positionOf(database), since)
      return new SqliteSink(database, file)
    } catch (error) {
      database.close()
      throw faultOf(file, error)
    }
  }

  async write(items: readonly (Item | UnreadItem)[]): Promise<void> {
    try {
      await applyItems(this, readItems(items), this.#part !== undefined)
    } catch (error) {
      throw faultOf(this.#file, error)
    }
  }

  async put(table: TableName, rows: readonly Row[]): Promise<void> {
    const statement = this.#inserts.get(table) ?? this.#insertOf(table)
    for (const row of rows) {
      statement.run(...Object.values(storedRow(table, row)).map(sqliteValue))
    }
    this.#rows.add(table, rows.length)
  }

  async remove({ kind, event_id: eventId, hash, name }: Row): Promise<void> {
    const [column, value] = hash === null ? ['name', name] : ['hash', hash]
    this.#run(`delete from ${kind} where ${column} = ? and coalesce(event_id, 0) <= ?`, [
      value,
      eventId,
    ])
  }

  async replaceLinks(state: Row): Promise<void> {
    const { fid, type, timestamp, targets } = storedRow('link_states', state)
    this.#run('delete from link_states where fid = ? and type = ?', [fid, type])
    this.#run(
      `delete from links where fid = ? and type = ? and timestamp <= ?
         and target_fid not in (select value from json_each(?))`,
      [fid, type, timestamp, targets],
    )
  }

  async finish(head: ManifestHead): Promise<Record<TableName, TableSummary>> {
    try {
      this.#commit(head)
    } catch (error) {
      throw faultOf(this.#file, error)
    }
    if (this.#part !== undefined) {
      await flush(this.#part)
      await rename(this.#part, this.#file)
      await flush(dirname(this.#file))
    }
    return this.#rows.summary()
  }

  async abort(): Promise<void> {
    if (this.#database.isOpen) this.#database.close()
    if (this.#part !== undefined) rmSync(this.#part, { force: true })
  }

  #commit(head: ManifestHead): void {
    this.#run('delete from manifest', [])
    this.#run(
      `insert into manifest (version, tables_version, network, first_event_id, last_event_id, finished_at)
       values (?, ?, ?, ?, ?, ?)`,
      [
        head.version,
        head.tablesVersion,
        head.network,
        head.firstEventId,
        head.lastEventId,
        new Date().toISOString(),
      ],
    )
    this.#database.exec('commit')
    this.#database.close()
  }

  #insertOf(table: TableName): StatementSync {
    const places = Object.keys(storedColumns(table)).map(() => '?')
    const text = `insert into ${table} values (${places.join(', ')}) ${onConflict(table)}`
    const statement = this.#database.prepare(text)
    this.#inserts.set(table, statement)
    return statement
  }

  #run(text: string, values: readonly unknown[]): void {
    this.#database.prepare(text).run(...values.map(sqliteValue))
  }
}

function sqliteValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as SQLInputValue)
}

/** The last event that a file has; undefined: there is none. */
export function positionInFile(file: string): number | undefined {
  if (!existsSync(file)) return undefined
  const database = openExport(file)
  try {
    return positionOf(database)?.lastEventId
  } finally {
    database.close()
  }
}

/** Opens a file that an export made. Opening also undoes the transaction of a follower that was killed. */
function openExport(file: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
    positionOf(database)
    return database
  } catch (cause) {
    database?.close()
    if (faultOf(file, cause) !== cause) throw faultOf(file, cause)
    throw new ExportRefused(
      `--to sqlite:${file} is no export (${(cause as Error).message}): name a new file, or one that rookery export made`,
    )
  }
}

/** What may pass, in words that name the file; any other error is itself. */
function faultOf(file: string, error: unknown): unknown {
  // The last byte of a result code says what it is, the others why.
  const code = ((error as { errcode?: number }).errcode ?? 0) % 256
  if (code === SQLITE_FULL) return new TargetAway(`the disk of ${file} has no room`)
  if (code !== SQLITE_BUSY) return error
  return new TargetAway(`${file} is locked by another program that reads or writes it`)
}

function positionOf(database: DatabaseSync): Position | undefined {
  const row = database.prepare('select last_event_id, tables_version from manifest').get()
  return (
    row && { lastEventId: Number(row.last_event_id), tablesVersion: Number(row.tables_version) }
  )
}

/** Refuses to replace a file that is no export, and one in WAL mode, whose latest changes may be in the log beside it. */
function checkReplaceable(file: string): void {
  if (!existsSync(file)) return
  const database = openExport(file)
  try {
    const { journal_mode: mode } = database.prepare('pragma journal_mode').get()!
    if (mode !== 'wal') return
    throw new ExportRefused(
      `${file} has a write-ahead log: set \`pragma journal_mode = delete\` in it`,
    )
  } finally {
    database.close()
  }
}

/**
 * A new file beside it, which its owner alone reads, or those who may read the one that it replaces. Those of writers that
 * were killed are removed.
 */
function newPart(file: string): string {
  const folder = dirname(resolve(file))
  if (!existsSync(folder)) {
    throw new ExportRefused(`the folder of --to sqlite:${file} is not there: make it first`)
  }
  const start = `${basename(file)}.part-`
  for (const name of readdirSync(folder)) {
    if (name.startsWith(start)) rmSync(join(folder, name), { force: true })
  }
  const part = join(folder, `${start}${randomUUID()}`)
  closeSync(openSync(part, 'wx', OWNER_ONLY_FILE))
  if (existsSync(file)) chmodSync(part, statSync(file).mode)
  return part
}
