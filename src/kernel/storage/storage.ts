import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { firstEventIdAt } from '../protocol/event-id.ts'
import { type DiskUse, measuringDisk } from './disk-use.ts'
import type { Caution } from './engines/cautions.ts'
import type { Engine } from './engines/engine.ts'
import { overwriteDeleted } from './engines/overwrite.ts'
import { DEFAULT_POSTGRES_LIMITS, openPostgres, type PostgresLimits } from './engines/postgres.ts'
import { openReplicas, type ReplicaStatus, type Replicas } from './engines/postgres-replicas.ts'
import { createSignals, type Signals } from './engines/signals.ts'
import { postgresSnapshots } from './engines/snapshots/postgres-snapshots.ts'
import { sqliteSnapshots } from './engines/snapshots/sqlite-snapshots.ts'
import type { Sql } from './engines/sql.ts'
import { joinSqlite, openSqlite, type SqliteEngine, STORE_FILE } from './engines/sqlite.ts'
import { newVersionMemory, type Versions, versionsIn } from './engines/versions.ts'
import { WriteCheck } from './engines/write-check.ts'
import { type Locking, type Locks, lockWhole, WHOLE_LOCKS, type WholeLock } from './locks.ts'
import { LOG_START_CURSOR } from './messages/events.ts'
import { type Reader, replicaReader, type Writer } from './reader-writer.ts'
import { exportReader } from './reads/exports.ts'
import type { NewestIds, Snapshots } from './snapshots.ts'
import { newStoreId, STORE_ID_CURSOR } from './store-id.ts'
import { auditReader } from './tables/audit.ts'
import { cursorReader, cursorWriter } from './tables/cursors.ts'
import { graphReader } from './tables/graph.ts'
import { KERNEL_TOTALS } from './tables/row-counts.ts'
import { type DeclaredSql, migrate, type Schema } from './tables/schema.ts'
import { UNDECLARED_TABLES } from './tables/tables.ts'
import { checkClock, Transactions } from './transactions.ts'
import { type ViewReads, viewReads, viewReadsInTurn } from './view-reads.ts'
import { createViews } from './views/view-schema.ts'
import { openViewEngine, viewsFile } from './views/view-store.ts'

export type { Lock, PlatformPart } from './locks.ts'
export type { Reader, Writer } from './reader-writer.ts'

/** Cursors that identify the network of the data, and the fids that it leaves to another one; a reset keeps them. */
const KEPT_CURSORS = ['network', 'mode', 'signing-network', 'fid-floor'] as const

export type Storage = ViewReads & {
  readonly settings: JoinSettings
  /** What the store holds; undefined in a thread that needs only rows. */
  readonly schema: Schema | undefined
  readonly audit: ReturnType<typeof auditReader>
  readonly graph: ReturnType<typeof graphReader>
  /** Reads of whole tables for exports. */
  readonly exports: ReturnType<typeof exportReader>
  /**
   * The same reads for requests that may be answered by a standby, which shows an earlier state. Never
   * decide, and never move a cursor, by these. Without standbys it is this store itself.
   */
  readonly replica: Reader
  /**
   * A standby for all reads of one request, which see its state move forwards only. Undefined when there is none in order.
   * Its reads fail with `StoreUnavailable`; then this store is to be asked.
   */
  nextReplica(): ViewReads | undefined
  /** The hosts of `replica` and `nextReplica`; empty without any. */
  replicas(): ReplicaStatus[]
  /**
   * Runs `work` in one transaction under locks that all processes share: nothing that it reads under them
   * changes before it has written. Resolves once everything is committed and flushed; when `work` throws,
   * nothing is stored.
   */
  write<T>(locks: Locks, work: (tx: Writer) => Promise<T>): Promise<T>
  /**
   * The same for many small writes: those that wait for the lock share a transaction and
   * its flush. A write that throws a Rejection does not affect the others.
   */
  writeShared<T>(lock: WholeLock, work: (tx: Writer) => Promise<T>): Promise<T>
  /** Wake-ups after commits of any process. */
  readonly signals: Signals
  /** Undefined on PostgreSQL, where other processes write, too. */
  readonly versions: Versions | undefined
  /** Throws unless the store answers and accepts writes. */
  ping(): Promise<void>
  /** Receives the outcomes of writes by threads. */
  readonly writes: Pick<WriteCheck, 'succeeded' | 'refused'>
  sizeBytes(): Promise<number>
  /** How much of the disk quota is used, measured at most ten seconds ago. */
  diskUse(): Promise<DiskUse>
  /** What about the database or its disk endangers the data. */
  cautions(): Promise<readonly Caution[]>
  /**
   * Overwrites deleted rows in the files of the embedded store and of its views, and empties their write-ahead logs.
   * Does nothing on PostgreSQL, which has its own rules for that. Throws when readers are in the way for too long.
   */
  overwriteDeleted(signal: AbortSignal): Promise<void>
  /**
   * Deletes everything stored in one transaction; the store stays its network's and gets another id. Ids of transfers go
   * on growing. Those of events do too, unless the newest one is of a time long after `nowMs`, which a clock that is put
   * back leaves behind: the log of the new network then begins at `nowMs`, because the id of an event is its time. For
   * development and tests.
   */
  reset(nowMs?: number): Promise<void>
  /** Copies of everything stored, to which `revert` goes back; undefined in a thread. For development and tests. */
  readonly snapshots: Pick<Snapshots, 'list' | 'save' | 'remove' | 'directoryOf'> | undefined
  /**
   * Puts back what a snapshot kept; the store stays its network's and gets another id. What `reset` does about ids is done here,
   * too; `timeOf` says the time (Unix ms) from the cursors of the snapshot.
   */
  revert(name: string, timeOf: (cursors: Cursors) => Promise<number>): Promise<void>
  /**
   * Changes with every reset and revert by this process, before and after: ids of events may be given again then, and what memory
   * holds of the data must be read anew.
   */
  resets(): number
  close(): Promise<void>
}

type Cursors = ReturnType<typeof cursorReader>

export type StorageSettings = {
  /** PostgreSQL when given, else SQLite in `dataDir`. */
  readonly databaseUrl?: string | undefined
  /** Standbys of that PostgreSQL. */
  readonly databaseReadUrl?: string | undefined
  /** Standbys that are further behind are not read from. */
  readonly maxReplicaLagMs?: number
  readonly postgresLimits?: Partial<PostgresLimits>
  readonly dataDir: string
  /** Whether a commit of the embedded store waits for the disk; true unless given. */
  readonly flushes?: boolean
  /** Bytes that the store may use; unless given, what its disk has room for, where that is known. */
  readonly diskQuotaBytes?: number | undefined
  /** Data of another network is refused. */
  readonly network: string
  /** Whether the views are kept. */
  readonly views?: boolean
  /** The memory of the embedded store's versions, which its threads share. The store makes it. */
  readonly versionMemory?: SharedArrayBuffer
}

/** The settings of an open store, with which its threads join it. They can be posted. */
export type JoinSettings = StorageSettings & {
  /** What features declare: a thread that went without it would show what they hide. */
  readonly declared: DeclaredSql
}

/** The data belongs to another network; the message names both. */
export class WrongNetworkError extends Error {}

/**
 * Opens the store, brings its schema up to date and makes sure that it is this network's. Throws
 * `WrongNetworkError`, `NewerSchemaError`, or `DataInUseError` when another process has the embedded store open.
 */
export async function openStorage(
  given: StorageSettings,
  schema: Schema,
  systemNow: () => number = Date.now,
): Promise<Storage> {
  const { declared } = schema
  const settings = {
    ...given,
    declared,
    ...(!given.databaseUrl && { versionMemory: newVersionMemory() }),
  }
  const engine = openEngine(settings)
  try {
    await migrate(engine, schema.migrations)
    if (settings.views) await createViewsOf(engine, settings)
    const signals = createSignals(engine.signalBus)
    const storage = storageOn(engine, settings, {
      schema,
      systemNow,
      replicas: replicasOf(settings),
      signals,
      snapshots: snapshotsOf(engine, settings),
    })
    await claimNetwork(storage, settings.network)
    return storage
  } catch (error) {
    await engine.close()
    throw error
  }
}

/**
 * Connects once more to a store that this process has open: for a thread, which cannot share its
 * connections. To be closed before the store itself. Without the schema it neither erases nor verifies.
 */
export function joinStorage(settings: JoinSettings, schema?: Schema): Storage {
  const { databaseUrl, postgresLimits } = settings
  if (databaseUrl) return storageOn(openPostgres(databaseUrl, postgresLimits), settings, { schema })
  const engine = joinSqlite(sqliteFile(settings), settings)
  if (settings.views) engine.attach(viewsFile(settings))
  return storageOn(engine, settings, { schema })
}

/** Creates the tables of the views, and lets the reads of `engine` see them. */
async function createViewsOf(
  engine: Engine & Partial<SqliteEngine>,
  settings: StorageSettings,
): Promise<void> {
  if (settings.databaseUrl) return createViews(engine)
  const views = openViewEngine(settings)
  try {
    await createViews(views)
  } finally {
    await views.close()
  }
  engine.attach?.(viewsFile(settings))
}

function openEngine(settings: StorageSettings): Engine & Partial<SqliteEngine> {
  const { databaseUrl, postgresLimits, dataDir } = settings
  if (databaseUrl) return openPostgres(databaseUrl, postgresLimits)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openSqlite(sqliteFile(settings), settings)
}

const DEFAULT_MAX_REPLICA_LAG_MS = 10_000

function snapshotsOf(engine: Engine & Partial<SqliteEngine>, settings: JoinSettings): Snapshots {
  const locking = lockingOf(engine, settings)
  if (settings.databaseUrl) return postgresSnapshots(engine, locking)
  const { dataDir, flushes = true } = settings
  return sqliteSnapshots(locking, {
    dataDir,
    flushes,
    storeFile: sqliteFile(settings),
    viewsFile: settings.views ? viewsFile(settings) : undefined,
  })
}

const lockingOf = ({ isExclusive }: Engine, { declared }: JoinSettings): Locking => ({
  isExclusive,
  newestIds: declared.newestIds,
})

function replicasOf(settings: StorageSettings): Replicas | undefined {
  const { databaseUrl, databaseReadUrl, postgresLimits, maxReplicaLagMs } = settings
  if (!databaseUrl || !databaseReadUrl) return undefined
  return openReplicas(databaseReadUrl, {
    ...DEFAULT_POSTGRES_LIMITS,
    ...postgresLimits,
    maxLagMs: maxReplicaLagMs ?? DEFAULT_MAX_REPLICA_LAG_MS,
  })
}

async function overwriteFilesOf(settings: StorageSettings, signal: AbortSignal): Promise<void> {
  const { databaseUrl, flushes = true } = settings
  if (databaseUrl) return
  const files = [sqliteFile(settings), viewsFile(settings)].filter((file) => existsSync(file))
  await overwriteDeleted({ files, flushes }, signal)
}

const sqliteFile = ({ dataDir }: StorageSettings) => join(dataDir, STORE_FILE)

type StorageParts = {
  /** Missing in a thread that neither resets nor erases. */
  readonly schema?: Schema | undefined
  readonly systemNow?: () => number
  readonly replicas?: Replicas | undefined
  readonly signals?: Signals
  readonly snapshots?: Snapshots
}

function storageOn(
  engine: Engine,
  settings: JoinSettings,
  // A thread has no signals of its own: it reports its commits to the thread that started it.
  {
    schema,
    systemNow = Date.now,
    replicas,
    signals = createSignals(),
    snapshots,
  }: StorageParts = {},
): Storage {
  const { shown } = settings.declared
  const primary = viewReads(engine, shown)
  const locking = lockingOf(engine, settings)
  const writes = new WriteCheck(engine)
  const versions = settings.versionMemory && versionsIn(settings.versionMemory)
  const transactions = new Transactions({
    ...{ engine, locking, schema, systemNow, signals, versions, writes },
  })
  let resets = 0
  /** Puts other data in place of these. */
  const replaceAll = (replace: () => Promise<void>) =>
    transactions.announce(async (changes) => {
      changes.concernsEverybody = true
      changes.topics.add('events').add('key requests')
      resets++
      try {
        await replace()
      } finally {
        // Also what was read meanwhile is of the other data.
        resets++
      }
    })
  return {
    settings,
    schema,
    audit: auditReader(engine, schema?.totals ?? KERNEL_TOTALS),
    graph: graphReader(engine),
    exports: exportReader(engine),
    ...primary,
    replica: replicas ? replicaReader(engine, replicas.sql) : primary,
    nextReplica: viewReadsInTurn(engine, shown, replicas),
    replicas: () => replicas?.status() ?? [],
    write: (lock, work) => transactions.write(lock, work),
    writeShared: (lock, work) => transactions.writeShared(lock, work),
    signals,
    versions,
    ping: async () => {
      await engine.ping()
      await writes.check()
      if (engine.clock) checkClock(await engine.all(engine.clock), systemNow())
    },
    writes,
    sizeBytes: engine.sizeBytes,
    diskUse: measuringDisk({
      engine,
      quotaBytes: settings.diskQuotaBytes,
      files: settings.databaseUrl ? [] : [viewsFile(settings)],
    }),
    cautions: engine.cautions,
    overwriteDeleted: (signal) => overwriteFilesOf(settings, signal),
    reset: (nowMs = systemNow()) =>
      replaceAll(() => engine.transaction((sql) => deleteAll(sql, locking, schema, nowMs))),
    snapshots,
    revert: (name, timeOf) =>
      replaceAll(async () => {
        if (!snapshots) throw new Error('a thread reverts nothing')
        await snapshots.revert(name, async (sql, newest) => {
          await keepIdsGrowing(sql, newest, await timeOf(cursorReader(sql)))
        })
      }),
    resets: () => resets,
    async close() {
      await replicas?.close()
      snapshots?.close()
      await engine.close()
    },
  }
}

async function deleteAll(
  sql: Sql,
  locking: Locking,
  schema: Schema | undefined,
  nowMs: number,
): Promise<void> {
  if (!schema) throw new Error('a thread that joined without the schema resets nothing')
  const floors = { hub: 0 }
  for (const lock of WHOLE_LOCKS) {
    const newest = await lockWhole(sql, lock, locking)
    const floor = lock === 'hub' ? await startOfLog(sql, newest, nowMs) : newest
    if (lock === 'hub') floors.hub = floor
    await sql.all('update lock set value = ? where name = ?', [floor, lock])
  }
  const cursors = cursorWriter(sql)
  const kept = await Promise.all(
    KEPT_CURSORS.map(async (name) => [name, await cursors.get(name)] as const),
  )
  const declared = schema.tables.map(({ name }) => name)
  for (const table of [...declared, ...UNDECLARED_TABLES]) await sql.all(`delete from ${table}`)
  for (const [name, value] of kept) if (value !== undefined) await cursors.put(name, value)
  await cursors.put(LOG_START_CURSOR, String(floors.hub))
  await cursors.put(STORE_ID_CURSOR, newStoreId())
}

/** Ids that were given before a revert are not given again. */
async function keepIdsGrowing(sql: Sql, newest: NewestIds, nowMs: number): Promise<void> {
  for (const [lock, id] of newest) {
    const isAhead = lock === 'hub' && id >= firstEventIdAt(nowMs + MAX_IDS_AHEAD_MS)
    const floor = isAhead ? firstEventIdAt(nowMs) : id
    await sql.all('update lock set value = ? where name = ?', [floor, lock])
  }
  await cursorWriter(sql).put(STORE_ID_CURSOR, newStoreId())
}

/** Ids run ahead of the clock by this at most when many events share a millisecond; more is a clock that was put back. */
const MAX_IDS_AHEAD_MS = 60_000

/** The id after which the log of a new network begins, given the newest one of the old network. */
async function startOfLog(sql: Sql, newest: number, nowMs: number): Promise<number> {
  if (newest < firstEventIdAt(nowMs + MAX_IDS_AHEAD_MS)) return newest
  // Followers know a log by where it begins.
  const before = Number((await cursorWriter(sql).get(LOG_START_CURSOR)) ?? 0)
  return Math.max(firstEventIdAt(nowMs), before === firstEventIdAt(nowMs) ? before + 1 : 0)
}

async function claimNetwork(storage: Storage, network: string): Promise<void> {
  const claimed = await storage.write('hub', async (tx) => {
    const stored = await tx.cursors.get('network')
    if (stored === undefined) await tx.cursors.put('network', network)
    return stored ?? network
  })
  if (claimed !== network) {
    throw new WrongNetworkError(
      `This data belongs to the network ${claimed}, but the settings say ${network}. ` +
        'Point ROOKERY_DATA_DIR or DATABASE_URL at other data, or set ROOKERY_NETWORK back.',
    )
  }
}
