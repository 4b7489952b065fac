import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { accountReader, accountWriter } from './accounts.ts'
import { actionReader, actionWriter } from './actions.ts'
import { auditReader } from './audit.ts'
import { badgeReader, badgeWriter } from './badges.ts'
import { blockReader, blockWriter } from './blocks.ts'
import { chainReader, chainWriter } from './chain.ts'
import { channelReader, channelWriter } from './channels.ts'
import { cursorReader, cursorWriter } from './cursors.ts'
import { eventReader, eventWriter } from './events.ts'
import { graphReader } from './graph.ts'
import { keyRequestReader, keyRequestWriter } from './key-requests.ts'
import { leaseReader, leaseWriter } from './leases.ts'
import { ledgerReader, ledgerWriter } from './ledger.ts'
import { messageReader, messageWriter } from './messages.ts'
import { nameProofReader, nameProofWriter } from './name-proofs.ts'
import { nameTransferReader, nameTransferWriter } from './name-transfers.ts'
import { openPostgres, type PostgresLimits } from './postgres.ts'
import { relayReader, relayWriter } from './relays.ts'
import { DATA_TABLES, migrate } from './schema.ts'
import type { Engine, Sql } from './sql.ts'
import { joinSqlite, openSqlite } from './sqlite.ts'

/** What may be read, by group of queries. Outside a transaction it sees only what is committed. */
export type Reader = Readonly<ReturnType<typeof reader>>

/** What may be written. It exists only inside `Storage.write`. */
export type Writer = Readonly<ReturnType<typeof writer>>

/** Every transaction runs under one of these; two under the same one never overlap, anywhere. */
export type Lock = (typeof LOCKS)[number]
const LOCKS = ['hub', 'registry', 'platform', 'leader'] as const

export type Storage = Reader & {
  readonly settings: StorageSettings
  readonly audit: ReturnType<typeof auditReader>
  readonly graph: ReturnType<typeof graphReader>
  /**
   * Runs `work` in one transaction under a lock that all processes share: what it reads cannot
   * change before it has written. Resolves once everything is committed and flushed; when `work`
   * throws, nothing is stored.
   */
  write<T>(lock: Lock, work: (tx: Writer) => Promise<T>): Promise<T>
  /** Throws `StoreUnavailable` unless the store answers and accepts writes. */
  ping(): Promise<void>
  sizeBytes(): Promise<number>
  /**
   * Deletes everything stored in one transaction; the store stays its network's, and ids of events
   * and of transfers go on growing. For development and tests.
   */
  reset(): Promise<void>
  close(): Promise<void>
}

export type StorageSettings = {
  /** PostgreSQL when given, else SQLite in `dataDir`. */
  readonly databaseUrl?: string | undefined
  readonly postgresLimits?: Partial<PostgresLimits>
  readonly dataDir: string
  /** Data of another network is refused. */
  readonly network: string
}

/** The data belongs to another network; the message names both. */
export class WrongNetworkError extends Error {}

/**
 * Opens the store, brings its schema up to date and makes sure that it is this network's. Throws
 * `WrongNetworkError`, or `DataInUseError` when another process has the embedded store open.
 */
export async function openStorage(settings: StorageSettings): Promise<Storage> {
  const engine = openEngine(settings)
  try {
    await migrate(engine)
    const storage = storageOn(engine, settings)
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
  const engine = databaseUrl
    ? openPostgres(databaseUrl, postgresLimits)
    : joinSqlite(sqliteFile(settings))
  return storageOn(engine, settings)
}

function openEngine(settings: StorageSettings): Engine {
  const { databaseUrl, postgresLimits, dataDir } = settings
  if (databaseUrl) return openPostgres(databaseUrl, postgresLimits)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  return openSqlite(sqliteFile(settings))
}

const sqliteFile = ({ dataDir }: StorageSettings) => join(dataDir, 'rookery.sqlite')

function storageOn(engine: Engine, settings: StorageSettings): Storage {
  return {
    settings,
    audit: auditReader(engine),
    graph: graphReader(engine),
    ...reader(engine),
    write: (lock, work) =>
      engine.transaction(async (sql) => work(writer(sql, lock, await take(sql, lock)))),
    ping: engine.ping,
    sizeBytes: engine.sizeBytes,
    reset: () => engine.transaction(deleteAll),
    close: engine.close,
  }
}

async function deleteAll(sql: Sql): Promise<void> {
  for (const lock of LOCKS) await take(sql, lock)
  const network = await cursorReader(sql).get('network')
  for (const table of DATA_TABLES) await sql.all(`delete from ${table}`)
  if (network !== undefined) await cursorWriter(sql).put('network', network)
}

function reader(sql: Sql) {
  return {
    messages: messageReader(sql),
    events: eventReader(sql),
    accounts: accountReader(sql),
    nameProofs: nameProofReader(sql),
    nameTransfers: nameTransferReader(sql),
    ledger: ledgerReader(sql),
    cursors: cursorReader(sql),
    channels: channelReader(sql),
    blocks: blockReader(sql),
    actions: actionReader(sql),
    keyRequests: keyRequestReader(sql),
    badges: badgeReader(sql),
    chain: chainReader(sql),
    relays: relayReader(sql),
    leases: leaseReader(sql),
  }
}

function writer(sql: Sql, lock: Lock, lockValue: number) {
  return {
    messages: messageWriter(sql),
    events: eventWriter(sql),
    accounts: accountWriter(sql),
    nameProofs: nameProofWriter(sql),
    nameTransfers: nameTransferWriter(sql),
    ledger: ledgerWriter(sql),
    cursors: cursorWriter(sql),
    channels: channelWriter(sql),
    blocks: blockWriter(sql),
    actions: actionWriter(sql),
    keyRequests: keyRequestWriter(sql),
    badges: badgeWriter(sql),
    chain: chainWriter(sql),
    relays: relayWriter(sql),
    leases: leaseWriter(sql),
    /** The number that the last transaction under this lock stored: the newest id it assigned. */
    lockValue,
    /** Stores a number for the next transaction under this lock. */
    async setLockValue(value: number): Promise<void> {
      await sql.all('update lock set value = ? where name = ?', [value, lock])
    },
  }
}

/** Waits for the lock's row. It stays ours until the transaction ends. */
async function take(sql: Sql, lock: Lock): Promise<number> {
  const [row] = await sql.all(
    `insert into lock (name, turns, value) values (?, 1, 0)
     on conflict (name) do update set turns = lock.turns + 1 returning value`,
    [lock],
  )
  return row?.value as number
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
