import { crc32 } from 'node:zlib'
import type { Engine, OpeningQuery } from './engines/engine.ts'
import type { Row, Sql } from './engines/sql.ts'
import { StoreUnavailable } from './engines/unavailable.ts'

/** Two transactions under the same lock never overlap, in any process. */
export type Lock = WholeLock | PlatformPart
/** What one transaction may hold: one lock, several parts, or whole ones and parts, which are locked in this order. */
export type Locks =
  | Lock
  | readonly PlatformPart[]
  | readonly [WholeLock, ...PlatformPart[]]
  | readonly ['hub', 'registry']
/** `platform` excludes every part of the platform. */
export type WholeLock = (typeof WHOLE_LOCKS)[number]
/**
 * The kinds of things of which a transaction may lock one. A feature adds its own in its `feature.ts`:
 * `declare module '…/locks.ts' { interface PartKinds { thing: true } }`.
 */
export interface PartKinds {
  /** The own rows of one account. */
  fid: true
  app: true
}
/** The kinds of which a transaction may lock all, for counts over all of them. Features add theirs. */
export interface WholeKinds {
  apps: true
  rpc: true
}
/** A part of the platform: one thing of a kind, or all of a kind. Writers of different parts do not wait for each other. */
export type PlatformPart = `${keyof PartKinds}/${string}` | `all/${keyof WholeKinds}`

/** In the order in which a transaction that needs several takes them. */
export const WHOLE_LOCKS = ['hub', 'registry', 'platform', 'leader'] as const

/** Parts share this number of rows: it does not grow with the channels and fids. */
const PART_ROWS = 1_024
/** The row under which ids are given in transactions that lock only parts, locked last of all. */
const PLATFORM_IDS = 'platform ids'
const partRow = (n: number): string => `part ${n}`

const rowOf = (part: PlatformPart): string => partRow(crc32(part) % PART_ROWS)

/** The rows of the parts, without repetition. */
const rowsOf = (parts: readonly PlatformPart[]): string[] => [...new Set(parts.map(rowOf))].sort()

export const isWhole = (lock: Lock): lock is WholeLock =>
  (WHOLE_LOCKS as readonly string[]).includes(lock)

/** Selects, each of one row, of the newest ids (`newest`) that the tables of features have under a lock. */
export type NewestIdTexts = Readonly<Partial<Record<WholeLock, readonly string[]>>>

/** How a store locks, and where it finds the ids that were given. */
export type Locking = Pick<Engine, 'isExclusive'> & { readonly newestIds: NewestIdTexts }

/**
 * The row of a lock is locked and never rewritten: old versions of it would pile up under a long snapshot,
 * for instance of `pg_dump`, and every transaction would have to look through them. `value` is a lower
 * bound of the newest id, which only changes when the newest rows of a table are deleted; otherwise the
 * newest id comes from the key of the table.
 */
const lockText = ({ isExclusive }: Pick<Locking, 'isExclusive'>) =>
  `select value from lock where name = ?${isExclusive ? '' : ' for update'}`
const INSERT_LOCK =
  'insert into lock (name, turns, value) values (?, 0, 0) on conflict (name) do nothing'

const NEWEST_EVENT = 'select max(id) as newest from event'

/** Reads the newest id under a lock. */
function newestText(lock: WholeLock, { newestIds }: Locking): string {
  if (lock === 'hub') return NEWEST_EVENT
  const texts = newestIds[lock] ?? []
  if (texts.length === 0) return 'select 0 as newest'
  return `select max(newest) as newest from (${texts.join(' union all ')}) given`
}

/** The reads that take a lock at the start of a transaction, and give the newest id under it. */
export const openingOf = (lock: WholeLock, locking: Locking): OpeningQuery[] => [
  { text: lockText(locking), parameters: [lock] },
  { text: newestText(lock, locking) },
]

/** The newest id, from the rows of `openingOf`; undefined when the lock has no row yet. */
export function openedId(opened: readonly Row[][]): number | undefined {
  const [locked, ids] = opened.slice(-2)
  return locked?.[0] && newestOf(locked[0], ids?.[0])
}

/** Takes a lock in a transaction that runs already, and returns the newest id given under it. */
export async function lockWhole(sql: Sql, lock: WholeLock, locking: Locking): Promise<number> {
  await sql.all(INSERT_LOCK, [lock])
  const [[locked], [ids]] = await Promise.all([
    sql.all(lockText(locking), [lock]),
    sql.all(newestText(lock, locking)),
  ])
  return newestOf(locked, ids)
}

/**
 * The reads that lock parts of the platform, in the order of their rows. Also takes a shared lock on the row of the
 * platform: it conflicts with writers of earlier versions, which lock the whole platform.
 */
export const partsOpening = (parts: readonly PlatformPart[]): OpeningQuery[] => [
  { text: "select name from lock where name = 'platform' for share" },
  {
    text: `select name from lock where name = any(string_to_array(?, ','))
            order by name for update`,
    parameters: [rowsOf(parts).join()],
  },
]

/** Throws unless the rows of `partsOpening` were there to be locked. */
export function checkLocked(parts: readonly PlatformPart[], opened: readonly Row[][]): void {
  if (opened[0]?.length === 1 && opened[1]?.length === rowsOf(parts).length) return
  throw new Error('the table lock lacks rows that the migrations of the schema have added')
}

/** Locks parts of the platform in a transaction that runs already. */
export async function lockParts(sql: Sql, parts: readonly PlatformPart[]): Promise<void> {
  const opened: Row[][] = []
  for (const { text, parameters = [] } of partsOpening(parts)) {
    opened.push(await sql.all(text, parameters))
  }
  checkLocked(parts, opened)
}

/** The next id of the platform. From here to the end of the transaction no other one is given: they become visible in order. */
export async function nextPlatformId(sql: Sql, locking: Locking): Promise<number> {
  const [, [locked], [ids]] = await Promise.all([
    sql.all(lockText(locking), [PLATFORM_IDS]),
    sql.all("select value from lock where name = 'platform'"),
    sql.all(newestText('platform', locking)),
  ])
  return newestOf(locked, ids) + 1
}

const newestOf = (locked: Row | undefined, ids: Row | undefined): number =>
  Math.max(Number(locked?.value ?? 0), Number(ids?.newest ?? 0))

/** Transactions of a process that may wait for each other's parts. */
const MAX_WAITING = 10_000

/**
 * Queues the transactions of one process by their parts, in the order in which the database locks them. Of those
 * that want one part only the first holds a connection, so a busy channel leaves connections to the others.
 */
export class LockQueue {
  readonly #last = new Map<string, Promise<void>>()
  #waiting = 0

  async run<T>(parts: readonly PlatformPart[], work: () => Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new StoreUnavailable('overloaded', 'too many transactions wait for a lock')
    }
    // All places are taken at once, so the transactions before this one never wait for it.
    const rows = rowsOf(parts)
    const before = rows.map((row) => this.#last.get(row))
    const done = Promise.withResolvers<void>()
    for (const row of rows) this.#last.set(row, done.promise)
    this.#waiting++
    await Promise.all(before)
    this.#waiting--
    try {
      return await work()
    } finally {
      for (const row of rows) if (this.#last.get(row) === done.promise) this.#last.delete(row)
      done.resolve()
    }
  }
}
