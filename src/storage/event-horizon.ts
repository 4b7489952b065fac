import { setTimeout as sleep } from 'node:timers/promises'
import { shardOfId } from '../protocol/shards.ts'
import { sharedRuns } from '../shared-runs.ts'
import { laneRow } from './locks.ts'
import type { Engine, Sql } from './sql.ts'

/**
 * How far the event log of several shards is complete. Shards commit independently, so an event may become visible
 * after one with a greater id; readers therefore see events up to the horizon only, below which no event appears any
 * more. Then one number is a position in the log of all shards, as it is with one shard.
 */
export type EventHorizon = {
  /** The greatest id up to which the log is known to be complete. Only grows. */
  readonly known: number
  /** Moves the horizon as far as it can be moved now and returns it. */
  advance(): Promise<number>
}

/** The horizon of a database; undefined with one shard, whose events become visible in the order of their ids. */
export const horizonOf = (engine: Engine, shards: number): EventHorizon | undefined =>
  shards === 1 ? undefined : new Horizon(engine, shards)

/** Waits for transactions that are under way: they take some milliseconds. */
const ATTEMPTS = 10
const ATTEMPT_MS = 5
/** Among how many of the newest events that of a busy shard is looked for. */
const WINDOW_EVENTS = 10_000

const NEWEST = `select greatest(coalesce((select max(id) from event), 0),
  (select value from lock where name = 'hub')) as newest`
/**
 * Shares the locks of shards for a moment, except those that a transaction holds. Nothing depends on this read, so
 * its commit does not wait for the disk.
 */
const FREE_LANES = `select name, set_config('synchronous_commit', 'off', true) from lock
  where name like '${laneRow('%')}' for share skip locked`
const IDS_AFTER = 'select id from event where id > ? and id <= ? order by id desc limit ?'

class Horizon implements EventHorizon {
  readonly #sql: Sql
  readonly #shards: number
  #known = 0
  readonly advance = sharedRuns(() => this.#advance())

  constructor(sql: Sql, shards: number) {
    this.#sql = sql
    this.#shards = shards
  }

  get known(): number {
    return this.#known
  }

  async #advance(): Promise<number> {
    const newest = await this.#newest()
    for (let attempt = 0; this.#known < newest; attempt++) {
      if (attempt === ATTEMPTS) break
      if (attempt > 0) await sleep(ATTEMPT_MS)
      this.#known = Math.max(this.#known, await this.#completeUpTo(newest))
    }
    // Less only when events were deleted by hand.
    return Math.min(this.#known, newest)
  }

  async #newest(): Promise<number> {
    const [row] = await this.#sql.all(NEWEST)
    return Number(row?.newest ?? 0)
  }

  /**
   * A shard without a transaction gives its next ids after every event that is committed now, so after `newest`. A
   * shard with a transaction has committed all its ids up to the newest that is visible.
   */
  async #completeUpTo(newest: number): Promise<number> {
    const free = new Set((await this.#sql.all(FREE_LANES)).map(({ name }) => name))
    const shards = Array.from({ length: this.#shards }, (_, i) => i + 1)
    const busy = shards.filter((shard) => !free.has(laneRow(shard)))
    if (busy.length === 0) return newest
    const rows = await this.#sql.all(IDS_AFTER, [this.#known, newest, WINDOW_EVENTS])
    const ids = rows.map((row) => row.id as number)
    const bounds = busy.map(
      (shard) => ids.find((id) => shardOfId(id, this.#shards) === shard) ?? this.#known,
    )
    return Math.min(newest, ...bounds)
  }
}

/** Rows from `fromId` on that are within the horizon. Only an empty list means that there are no more. */
export async function withinHorizon<T>(
  horizon: EventHorizon | undefined,
  fromId: number,
  idOf: (row: T) => number,
  read: () => Promise<T[]>,
): Promise<T[]> {
  if (!horizon) return read()
  if (fromId <= horizon.known) {
    const complete = horizon.known
    const found = await read()
    if (found.every((row) => idOf(row) <= complete)) return found
  }
  const complete = await horizon.advance()
  return (await read()).filter((row) => idOf(row) <= complete)
}
