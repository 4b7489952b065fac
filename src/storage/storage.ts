import assert from 'node:assert/strict'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { GroupCommit, lazy, type WorkOutcome } from '../base/concurrency.ts'
import { firstEventIdAt } from '../protocol/event-id.ts'
import { Rejection } from '../protocol/rejection.ts'
import { overwriteDeleted } from './engines/overwrite.ts'
import { DEFAULT_POSTGRES_LIMITS, openPostgres, type PostgresLimits } from './engines/postgres.ts'
import { openReplicas, type ReplicaStatus, type Replicas } from './engines/postgres-replicas.ts'
import { preferringReplica } from './engines/replica-reader.ts'
import { createSignals, type Signals, type Topic } from './engines/signals.ts'
import { type Engine, type Row, type Sql, untilEnded } from './engines/sql.ts'
import { joinSqlite, openSqlite, type SqliteEngine } from './engines/sqlite.ts'
import { mayRetryAlone, StoreUnavailable } from './engines/unavailable.ts'
import { Changes, newVersionMemory, type Versions, versionsIn } from './engines/versions.ts'
import { WriteCheck } from './engines/write-check.ts'
import {
  checkLocked,
  isWhole,
  type Lock,
  lockWhole,
  nextPlatformId,
  openedId,
  openingOf,
  PartQueue,
  type PlatformPart,
  partsOpening,
  WHOLE_LOCKS,
  type WholeLock,
} from './locks.ts'
import { publishedEnvelopes } from './messages/envelopes.ts'
import {
  eventReader,
  eventWriter,
  LOG_START_CURSOR,
  publishedEventReader,
} from './messages/events.ts'
import { messageReader, messageWriter, publishedMessageReader } from './messages/messages.ts'
import { appIdemReader, appIdemWriter } from './reads/app-idems.ts'
import { appSignerReader, appSignerWriter } from './reads/app-signers.ts'
import { type AppViewReader, appViewReader } from './reads/app-views.ts'
import { appWebhookReader, appWebhookWriter } from './reads/app-webhooks.ts'
import { newStoreId, STORE_ID_CURSOR } from './store-id.ts'
import { accountReader, accountWriter } from './tables/accounts.ts'
import { actionReader, actionWriter } from './tables/actions.ts'
import { activityReader, activityWriter } from './tables/activity.ts'
import { appReader, appWriter } from './tables/apps.ts'
import { auditReader } from './tables/audit.ts'
import { badgeReader, badgeWriter } from './tables/badges.ts'
import { blockReader, blockWriter } from './tables/blocks.ts'
import { chainReader, chainWriter } from './tables/chain.ts'
import { channelReader, channelWriter } from './tables/channels.ts'
import { cursorReader, cursorWriter } from './tables/cursors.ts'
import { gaslessKeyReader, gaslessKeyWriter } from './tables/gasless-keys.ts'
import { graphReader } from './tables/graph.ts'
import { inviteReader, inviteWriter } from './tables/invites.ts'
import { keyRequestReader, keyRequestWriter } from './tables/key-requests.ts'
import { leaseReader, leaseWriter } from './tables/leases.ts'
import { ledgerReader, ledgerWriter } from './tables/ledger.ts'
import { moderationReader, moderationWriter } from './tables/moderation.ts'
import { nameProofReader, nameProofWriter } from './tables/name-proofs.ts'
import { nameTransferReader, nameTransferWriter } from './tables/name-transfers.ts'
import { quotaReader, quotaWriter } from './tables/quotas.ts'
import { relayReader, relayWriter } from './tables/relays.ts'
import { migrate } from './tables/schema.ts'
import { signInReader, signInWriter } from './tables/sign-in.ts'
import { DATA_TABLES } from './tables/tables.ts'
import { createViews } from './views/view-schema.ts'
import { openViewEngine, viewsFile } from './views/view-store.ts'
import { viewReader } from './views/views.ts'

/** What may be read, by group of queries. Outside a transaction it sees only what is committed. */
export type Reader = Readonly<ReturnType<typeof reader>>

/** What may be written. It exists only inside `Storage.write`. */
export type Writer = Readonly<TransactionWriter>

export type { Lock, PlatformPart } from './locks.ts'

/** What says whose data they are; a reset keeps it. */
const KEPT_CURSORS = ['network', 'mode', 'signing-network'] as const

export type Storage = Reader & {
  readonly settings: StorageSettings
  readonly audit: ReturnType<typeof auditReader>
  readonly graph: ReturnType<typeof graphReader>
  /** Reads of the views, which may join them with the store. They fail when the settings leave them out. */
  readonly views: ReturnType<typeof viewReader>
  /** What the app API reads of them. */
  readonly appViews: AppViewReader
  /**
   * The same reads for requests that may be answered by a standby, which shows an earlier state. Never
   * decide, and never move a cursor, by what it says. Without standbys it is this store itself.
   */
  readonly replica: Reader
  /** The hosts that `replica` reads from; empty without any. */
  replicas(): ReplicaStatus[]
  /**
   * Runs `work` in one transaction under a lock that all processes share, or under several parts of the
   * platform: what it reads of them cannot change before it has written. Resolves once everything is
   * committed and flushed; when `work` throws, nothing is stored.
   */
  write<T>(lock: Lock | readonly PlatformPart[], work: (tx: Writer) => Promise<T>): Promise<T>
  /**
   * The same for small writes that come in large numbers: those that wait for the lock share a transaction and
   * its flush. A write that throws a Rejection does not affect the others.
   */
  writeShared<T>(lock: WholeLock, work: (tx: Writer) => Promise<T>): Promise<T>
  /** Wake-ups after commits of any process. */
  readonly signals: Signals
  /** Undefined on PostgreSQL, where other processes write, too. */
  readonly versions: Versions | undefined
  /** Throws unless the store answers and accepts writes. */
  ping(): Promise<void>
  /** To be told how the writes of threads ended; those of this store are known. */
  readonly writes: Pick<WriteCheck, 'succeeded' | 'refused'>
  sizeBytes(): Promise<number>
  /**
  /**
   * Overwrites what was deleted from the files of the embedded store and of its views, and empties their write-ahead logs.
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
  /** Changes with every reset by this process: ids of events may be given again after it. */
  resets(): number
  close(): Promise<void>
}

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
  /** Data of another network is refused. */
  readonly network: string
  /** Whether the views are kept. */
  readonly views?: boolean
  /** The memory of the embedded store's versions, which its threads share. The store makes it. */
  readonly versionMemory?: SharedArrayBuffer
}

/** The data belongs to another network; the message names both. */
export class WrongNetworkError extends Error {}

/**
 * Opens the store, brings its schema up to date and makes sure that it is this network's. Throws
 * `WrongNetworkError`, `NewerSchemaError`, or `DataInUseError` when another process has the embedded store open.
 */
export async function openStorage(
  given: StorageSettings,
  systemNow: () => number = Date.now,
): Promise<Storage> {
  const settings = given.databaseUrl ? given : { ...given, versionMemory: newVersionMemory() }
  const engine = openEngine(settings)
  try {
    await migrate(engine)
    if (settings.views) await createViewsOf(engine, settings)
    const signals = createSignals(engine.signalBus)
    const storage = storageOn(engine, settings, {
      systemNow,
      replicas: replicasOf(settings),
      signals,
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
 * connections. To be closed before the store itself.
 */
export function joinStorage(settings: StorageSettings): Storage {
  const { databaseUrl, postgresLimits } = settings
  if (databaseUrl) return storageOn(openPostgres(databaseUrl, postgresLimits), settings)
  const engine = joinSqlite(sqliteFile(settings), settings)
  if (settings.views) engine.attach(viewsFile(settings))
  return storageOn(engine, settings)
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

const sqliteFile = ({ dataDir }: StorageSettings) => join(dataDir, 'rookery.sqlite')

type StorageParts = {
  readonly systemNow?: () => number
  readonly replicas?: Replicas | undefined
  readonly signals?: Signals
}

function storageOn(
  engine: Engine,
  settings: StorageSettings,
  // Without signals of the process: a thread tells the one that started it what it has committed.
  { systemNow = Date.now, replicas, signals = createSignals() }: StorageParts = {},
): Storage {
  const primary = reader(engine)
  const queue = new PartQueue()
  const writes = new WriteCheck(engine)
  const versions = settings.versionMemory && versionsIn(settings.versionMemory)
  let resets = 0
  /** Runs a transaction, and says what it changed. One that fails may be committed in spite of that. */
  const announced = async <T>(run: (changes: Changes<Topic>) => Promise<T>): Promise<T> => {
    const changes = new Changes<Topic>()
    const result = await run(changes)
      .catch((error) => {
        writes.failed(error)
        throw error
      })
      .finally(() => versions?.count(changes))
    for (const topic of changes.topics) signals.announce(topic)
    return result
  }
  const write: Storage['write'] = (lock, work) =>
    announced((changes) => {
      const locked = { work, systemNow, changes }
      return typeof lock === 'string' && isWhole(lock)
        ? inLock(engine, lock, locked)
        : queue.run(partsOf(lock), () => inParts(engine, partsOf(lock), locked))
    })
  const writeTogether = (lock: WholeLock, works: readonly LockedWork<unknown>['work'][]) =>
    announced((changes) => inSharedLock(engine, lock, { works, systemNow, changes }))
  const groupCommits = new Map(
    WHOLE_LOCKS.map((lock) => [
      lock,
      new GroupCommit<LockedWork<unknown>['work'], unknown>({
        alone: (work) => write(lock, work),
        together: (works) => writeTogether(lock, works),
        mayRetry: mayRetryAlone,
      }),
    ]),
  )
  return {
    settings,
    audit: auditReader(engine),
    graph: graphReader(engine),
    views: viewReader(engine),
    appViews: appViewReader(engine),
    ...primary,
    replica: replicas ? preferringReplica(primary, reader(replicas.sql)) : primary,
    replicas: () => replicas?.status() ?? [],
    write,
    writeShared: <T>(lock: WholeLock, work: (tx: Writer) => Promise<T>) =>
      groupCommits.get(lock)!.run(work) as Promise<T>,
    signals,
    versions,
    ping: async () => {
      await engine.ping()
      await writes.check()
      if (engine.clock) checkClock(await engine.all(engine.clock), systemNow())
    },
    writes,
    sizeBytes: engine.sizeBytes,
    overwriteDeleted: (signal) => overwriteFilesOf(settings, signal),
    reset: async (nowMs = systemNow()) => {
      await announced((changes) => {
        changes.concernsEverybody = true
        changes.topics.add('events')
        resets++
        return engine.transaction((sql) => deleteAll(sql, engine, nowMs))
      })
    },
    resets: () => resets,
    async close() {
      await replicas?.close()
      await engine.close()
    },
  }
}

async function deleteAll(sql: Sql, engine: Engine, nowMs: number): Promise<void> {
  const floors = { hub: 0 }
  for (const lock of WHOLE_LOCKS) {
    const newest = await lockWhole(sql, lock, engine)
    const floor = lock === 'hub' ? await startOfLog(sql, newest, nowMs) : newest
    if (lock === 'hub') floors.hub = floor
    await sql.all('update lock set value = ? where name = ?', [floor, lock])
  }
  const cursors = cursorWriter(sql)
  const kept = await Promise.all(
    KEPT_CURSORS.map(async (name) => [name, await cursors.get(name)] as const),
  )
  for (const table of DATA_TABLES) await sql.all(`delete from ${table}`)
  for (const [name, value] of kept) if (value !== undefined) await cursors.put(name, value)
  await cursors.put(LOG_START_CURSOR, String(floors.hub))
  await cursors.put(STORE_ID_CURSOR, newStoreId())
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

const partsOf = (lock: Lock | readonly PlatformPart[]): PlatformPart[] =>
  [lock].flat() as PlatformPart[]

function reader(sql: Sql) {
  return {
    messages: messageReader(sql),
    events: eventReader(sql),
    /** What everybody may read: `messages` and `events` without what moderation hides. */
    published: publishedReader(sql),
    accounts: accountReader(sql),
    nameProofs: nameProofReader(sql),
    nameTransfers: nameTransferReader(sql),
    ledger: ledgerReader(sql),
    cursors: cursorReader(sql),
    channels: channelReader(sql),
    blocks: blockReader(sql),
    actions: actionReader(sql),
    invites: inviteReader(sql),
    keyRequests: keyRequestReader(sql),
    badges: badgeReader(sql),
    chain: chainReader(sql),
    relays: relayReader(sql),
    leases: leaseReader(sql),
    gaslessKeys: gaslessKeyReader(sql),
    quotas: quotaReader(sql),
    moderation: moderationReader(sql),
    apps: appReader(sql),
    appIdems: appIdemReader(sql),
    appSigners: appSignerReader(sql),
    appWebhooks: appWebhookReader(sql),
    activity: activityReader(sql),
    signIn: signInReader(sql),
  }
}

const publishedReader = (sql: Sql) => ({
  messages: publishedMessageReader(sql),
  envelopes: publishedEnvelopes(sql),
  events: publishedEventReader(sql),
})

type WriterTerms = {
  readonly sql: Sql
  readonly newestId: number | undefined
  readonly engine: Engine
  readonly changes: Changes<Topic>
}

class TransactionWriter extends lazy({
  messages: ({ sql, engine, changes }: WriterTerms) =>
    messageWriter(sql, engine, (fid) => changes.authors.add(fid)),
  events: ({ sql, changes }) => eventWriter(sql, () => changes.topics.add('events')),
  published: ({ sql }) => publishedReader(sql),
  accounts: ({ sql }) => accountWriter(sql),
  nameProofs: ({ sql }) => nameProofWriter(sql),
  nameTransfers: ({ sql }) => nameTransferWriter(sql),
  ledger: ({ sql }) => ledgerWriter(sql),
  cursors: ({ sql }) => cursorWriter(sql),
  channels: ({ sql }) => channelWriter(sql),
  blocks: ({ sql }) => blockWriter(sql),
  actions: ({ sql }) => actionWriter(sql),
  invites: ({ sql }) => inviteWriter(sql),
  keyRequests: ({ sql, changes }) =>
    keyRequestWriter(sql, () => changes.topics.add('key requests')),
  activity: ({ sql }) => activityWriter(sql),
  signIn: ({ sql }) => signInWriter(sql),
  badges: ({ sql }) => badgeWriter(sql),
  chain: ({ sql }) => chainWriter(sql),
  relays: ({ sql }) => relayWriter(sql),
  leases: ({ sql }) => leaseWriter(sql),
  gaslessKeys: ({ sql }) => gaslessKeyWriter(sql),
  quotas: ({ sql }) => quotaWriter(sql),
  moderation: ({ sql, changes }) =>
    moderationWriter(sql, () => {
      changes.concernsEverybody = true
    }),
  apps: ({ sql }) => appWriter(sql),
  appIdems: ({ sql }) => appIdemWriter(sql),
  appSigners: ({ sql }) => appSignerWriter(sql),
  appWebhooks: ({ sql }) => appWebhookWriter(sql),
}) {
  readonly #terms: WriterTerms

  constructor(terms: WriterTerms) {
    super(terms)
    this.#terms = terms
  }

  /** The newest id given under this lock: of an event, a transfer of a name. */
  get newestId(): number {
    const { newestId } = this.#terms
    assert(newestId !== undefined, 'no ids are given under a part of the platform')
    return newestId
  }

  /** The next version of channels or id of a moderation. Others wait for it until this transaction ends. */
  nextPlatformId(): Promise<number> {
    const { sql, engine } = this.#terms
    return nextPlatformId(sql, engine)
  }
}

/** How far the clocks of this machine and of the database may be apart while event ids are given. */
export const MAX_CLOCK_DIFFERENCE_MS = 10 * 60 * 1_000

/**
 * Event ids hold the time, and only grow: one id of a clock that is years ahead would make all later ones
 * lie. See docs/decisions/ on clocks.
 */
function checkClock([row]: readonly Row[] = [], systemMs: number): void {
  const difference = Math.abs(Number(row?.now_ms) - systemMs)
  if (difference <= MAX_CLOCK_DIFFERENCE_MS) return
  const seconds = Math.round(difference / 1_000)
  throw new StoreUnavailable(
    'clock',
    `the clocks of this machine and of the database are ${seconds} seconds apart`,
  )
}

type LockedWork<T> = {
  readonly work: (tx: Writer) => Promise<T>
  readonly systemNow: () => number
  /** Is given what the transaction changed. */
  readonly changes: Changes<Topic>
}

/** Runs `work` while this transaction holds the lock. */
function inLock<T>(
  engine: Engine,
  lock: WholeLock,
  { work, systemNow, changes }: LockedWork<T>,
): Promise<T> {
  return whileLocked(engine, lock, systemNow, (sql, newestId) =>
    work(new TransactionWriter({ sql, newestId, engine, changes })),
  )
}

/** Runs `works` in order while this transaction holds the lock. A refused one is rolled back by itself. */
function inSharedLock(
  engine: Engine,
  lock: WholeLock,
  {
    works,
    systemNow,
    changes,
  }: Omit<LockedWork<unknown>, 'work'> & { readonly works: readonly LockedWork<unknown>['work'][] },
): Promise<WorkOutcome<unknown>[]> {
  return whileLocked(engine, lock, systemNow, async (sql) => {
    const outcomes: WorkOutcome<unknown>[] = []
    for (const work of works) {
      const newestId = await lockWhole(sql, lock, engine)
      await sql.all('savepoint work')
      const scope = untilEnded(sql)
      const outcome = await outcomeOf(
        () =>
          work(new TransactionWriter({ sql: scope.sql, newestId, engine, changes })).finally(
            scope.end,
          ),
        () => sql.all('release savepoint work'),
        () => sql.all('rollback to savepoint work'),
      )
      outcomes.push(outcome)
    }
    return outcomes
  })
}

/** Runs a write, then `keep`; when it throws a Rejection, `undo` instead. Other errors are thrown. */
async function outcomeOf<T>(
  work: () => Promise<T>,
  keep: () => Promise<unknown>,
  undo: () => Promise<unknown>,
): Promise<WorkOutcome<T>> {
  try {
    const value = await work()
    await keep()
    return { value }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    await undo()
    return { refused: error }
  }
}

/** Runs `work` while this transaction holds the lock; it is given the newest id under the lock. */
function whileLocked<T>(
  engine: Engine,
  lock: WholeLock,
  systemNow: () => number,
  work: (sql: Sql, newestId: number) => Promise<T>,
): Promise<T> {
  const clock = lock === 'hub' ? engine.clock : undefined
  const locking = openingOf(lock, engine)
  const opening = [...locking, ...(clock ? [{ text: clock }] : [])]
  return engine.transaction(
    async (sql, opened) => {
      if (clock) checkClock(opened.at(-1), systemNow())
      // Without a row this is the first transaction of all under this lock.
      const newestId =
        openedId(opened.slice(0, locking.length)) ?? (await lockWhole(sql, lock, engine))
      return work(sql, newestId)
    },
    { opening },
  )
}

/** Runs `work` while this transaction holds these parts of the platform. */
function inParts<T>(
  engine: Engine,
  parts: readonly PlatformPart[],
  { work, changes }: LockedWork<T>,
): Promise<T> {
  const opening = engine.isExclusive ? [] : partsOpening(parts)
  return engine.transaction(
    (sql, opened) => {
      if (!engine.isExclusive) checkLocked(parts, opened)
      return work(new TransactionWriter({ sql, newestId: undefined, engine, changes }))
    },
    { opening },
  )
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
