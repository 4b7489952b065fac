import { GroupCommit, type WorkOutcome } from '../base/concurrency.ts'
import { Rejection } from '../protocol/rejection.ts'
import { type Engine, untilEnded } from './engines/engine.ts'
import type { Signals, Topic } from './engines/signals.ts'
import type { Row, Sql } from './engines/sql.ts'
import { mayRetryAlone, StoreUnavailable } from './engines/unavailable.ts'
import { Changes, type SharedVersions } from './engines/versions.ts'
import type { WriteCheck } from './engines/write-check.ts'
import {
  checkLocked,
  isWhole,
  type Lock,
  type Locking,
  LockQueue,
  type Locks,
  lockParts,
  lockWhole,
  openedId,
  openingOf,
  type PlatformPart,
  partsOpening,
  WHOLE_LOCKS,
  type WholeLock,
} from './locks.ts'
import { TransactionWriter, type Writer } from './reader-writer.ts'
import type { Schema } from './tables/schema.ts'

type Work<T> = (tx: Writer) => Promise<T>

type Parts = {
  readonly engine: Engine
  readonly locking: Locking
  readonly schema: Schema | undefined
  readonly systemNow: () => number
  readonly signals: Signals
  readonly versions: SharedVersions | undefined
  readonly writes: WriteCheck
}

/** Runs transactions under locks, and tells readers what they have changed. */
export class Transactions {
  readonly #parts: Parts
  readonly #queue = new LockQueue()
  readonly #groupCommits: ReadonlyMap<WholeLock, GroupCommit<Work<unknown>, unknown>>

  constructor(parts: Parts) {
    this.#parts = parts
    this.#groupCommits = new Map(
      WHOLE_LOCKS.map((lock) => [
        lock,
        new GroupCommit<Work<unknown>, unknown>({
          alone: (work) => this.write(lock, work),
          together: (works) =>
            this.announce((changes) => inSharedLock(this.#parts, lock, works, changes)),
          mayRetry: mayRetryAlone,
        }),
      ]),
    )
  }

  write<T>(locks: Locks, work: Work<T>): Promise<T> {
    const all: readonly Lock[] = typeof locks === 'string' ? [locks] : locks
    const [whole, ...more] = all.filter(isWhole)
    const parts = all.filter((lock): lock is PlatformPart => !isWhole(lock))
    return this.announce((changes) => {
      const run = () =>
        whole === undefined
          ? inParts(this.#parts, parts, work, changes)
          : inLock(this.#parts, { whole, more, parts }, work, changes)
      return parts.length === 0 ? run() : this.#queue.run(parts, run)
    })
  }

  /** Small writes that wait for the same lock share a transaction. */
  writeShared<T>(lock: WholeLock, work: Work<T>): Promise<T> {
    return this.#groupCommits.get(lock)!.run(work) as Promise<T>
  }

  /** Runs a transaction, which says what it changed. One that fails may be committed in spite of that. */
  async announce<T>(run: (changes: Changes<Topic>) => Promise<T>): Promise<T> {
    const { writes, versions, signals } = this.#parts
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
}

/** How far the clocks of this machine and of the database may be apart while event ids are given. */
export const MAX_CLOCK_DIFFERENCE_MS = 10 * 60 * 1_000

/**
 * Event ids hold the time, and only grow: one id of a clock that is years ahead would make all later ones
 * lie. See docs/decisions/ on clocks.
 */
export function checkClock([row]: readonly Row[] = [], systemMs: number): void {
  const difference = Math.abs(Number(row?.now_ms) - systemMs)
  if (difference <= MAX_CLOCK_DIFFERENCE_MS) return
  const seconds = Math.round(difference / 1_000)
  throw new StoreUnavailable(
    'clock',
    `the clocks of this machine and of the database are ${seconds} seconds apart`,
  )
}

type Whole = {
  readonly whole: WholeLock
  readonly more: readonly WholeLock[]
  readonly parts: readonly PlatformPart[]
}

/** Runs `work` while this transaction holds whole locks and parts of the platform. `newestId` is that of the last whole lock. */
const inLock = <T>(
  parts: Parts,
  locks: Whole,
  work: Work<T>,
  changes: Changes<Topic>,
): Promise<T> =>
  whileLocked(parts, locks.whole, async (sql, firstNewestId) => {
    let newestId = firstNewestId
    for (const lock of locks.more) newestId = await lockWhole(sql, lock, parts.locking)
    if (locks.parts.length > 0 && !parts.engine.isExclusive) await lockParts(sql, locks.parts)
    return work(new TransactionWriter({ ...parts, sql, newestId, changes }))
  })

/** Runs `works` in order while this transaction holds the lock. A refused one is rolled back by itself. */
const inSharedLock = (
  parts: Parts,
  lock: WholeLock,
  works: readonly Work<unknown>[],
  changes: Changes<Topic>,
): Promise<WorkOutcome<unknown>[]> =>
  whileLocked(parts, lock, async (sql) => {
    const outcomes: WorkOutcome<unknown>[] = []
    for (const work of works) {
      const newestId = await lockWhole(sql, lock, parts.locking)
      await sql.all('savepoint work')
      const scope = untilEnded(sql)
      const tx = new TransactionWriter({ ...parts, sql: scope.sql, newestId, changes })
      const outcome = await outcomeOf(
        () => work(tx).finally(scope.end),
        () => sql.all('release savepoint work'),
        () => sql.all('rollback to savepoint work'),
      )
      outcomes.push(outcome)
    }
    return outcomes
  })

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
  { engine, locking, systemNow }: Parts,
  lock: WholeLock,
  work: (sql: Sql, newestId: number) => Promise<T>,
): Promise<T> {
  const clock = lock === 'hub' ? engine.clock : undefined
  const taking = openingOf(lock, locking)
  const opening = [...taking, ...(clock ? [{ text: clock }] : [])]
  return engine.transaction(
    async (sql, opened) => {
      if (clock) checkClock(opened.at(-1), systemNow())
      // Without a row this is the first transaction of all under this lock.
      const newestId =
        openedId(opened.slice(0, taking.length)) ?? (await lockWhole(sql, lock, locking))
      return work(sql, newestId)
    },
    { opening },
  )
}

/** Runs `work` while this transaction holds these parts of the platform. */
function inParts<T>(
  store: Parts,
  parts: readonly PlatformPart[],
  work: Work<T>,
  changes: Changes<Topic>,
): Promise<T> {
  const { isExclusive } = store.engine
  const opening = isExclusive ? [] : partsOpening(parts)
  return store.engine.transaction(
    (sql, opened) => {
      if (!isExclusive) checkLocked(parts, opened)
      return work(new TransactionWriter({ ...store, sql, newestId: undefined, changes }))
    },
    { opening },
  )
}
