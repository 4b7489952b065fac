import { setTimeout as sleep } from 'node:timers/promises'
import { ThreadEndedError } from '../base/thread.ts'
import { eventTime } from '../protocol/event-id.ts'
import type { IndexerStep } from './indexer.ts'
import type { Views, ViewsState } from './port.ts'

export type FollowerOptions = {
  /** One transaction of the views' thread. */
  step(): Promise<IndexerStep>
  rebuild(): Promise<void>
  /** Asked after a failed step: the id of the oldest event that is not applied. */
  oldestWaiting(): Promise<Waiting>
  /** Messages that wait to be merged: while there are many, the views take a quarter of the time unless a caller waits. */
  queueDepth(): number
  /** Unix milliseconds. */
  now(): number
  onStep?(step: IndexerStep, seconds: number): void
  onError(error: unknown): void
  /** Milliseconds until the next check for events of which no notification came. */
  pollMs?(): number
}

/** The oldest event that is not applied, or that there is none. While the views are built anew, nothing is applied yet. */
export type Waiting = { readonly eventId: number | undefined; readonly isBuilding: boolean }

export type Follower = Views & {
  start(): void
  /** Id of the last event that was applied, as far as this process knows. */
  cursor(): number
  /** Milliseconds that the oldest event which is not applied has waited; 0 when there is none. */
  lagMs(): number
  /** Parts of events that are set aside. */
  setAside(): number
  /** Why the last step failed; undefined when it did not. */
  failure(): string | undefined
  close(): Promise<void>
}

/** How late events of other processes are noticed while they cannot be announced. */
export const POLL_MS = 200
/** The same in a process that leaves the work to another one. */
const IDLE_POLL_MS = 500
/** While a caller waits for an event that another process applies. */
const AWAITED_POLL_MS = 20
const RETRY_MS = 1_000
/** Waiting messages that show that submits come faster than one after the other. */
const BUSY_QUEUE = 16
/** Beyond this the views catch up, whatever waits. */
const MAX_POLITE_LAG_MS = 10_000
/** Under load a step of one time unit is followed by a rest of three. The next one has more events, at less for each. */
const REST_FACTOR = 3
/**
 * The pause between two steps while no caller waits for events. It grows with the number of events of the last step, because
 * large transactions are cheaper: an event costs a third less in transactions of 1,000 than in those of 100.
 */
const REST_MS = 20
const REST_MS_PER_EVENT = 1
/** The longest of these pauses, and the one under load. */
const MAX_REST_MS = 250

/** Drives the views' thread: one step after the other while there are events, then waits to be woken. */
export function createFollower(options: FollowerOptions): Follower {
  const { now, pollMs = () => POLL_MS } = options
  const waiting = new Set<{ readonly eventId: number; resolve(isPassed: boolean): void }>()
  const holds = new Set<symbol>()
  let state: ViewsState = { status: 'building', ratio: 0 }
  let cursor = 0
  let newestId = 0
  /** Since when events wait, as far as steps know, and since when others have been announced. By performance.now. */
  let behindSince: number | undefined
  let announcedAt: number | undefined
  let failing: Failing | undefined
  let setAside = 0
  let isLeftToOthers = false
  let stepping: Promise<unknown> = Promise.resolve()
  let isClosed = false
  let isAwake = false
  let wakeUp = () => {}
  let endPoliteRest = () => {}
  let running: Promise<void> | undefined

  const wake = () => {
    isAwake = true
    wakeUp()
  }

  async function rest(ms: number): Promise<void> {
    if (isAwake || isClosed) return
    await pause(ms, (end) => {
      wakeUp = end
    })
    wakeUp = () => {}
  }

  /** Leaves the machine to submits. New events do not end it; a caller who waits does. */
  async function restPolitely({ hasMore, events }: IndexerStep, tookMs: number): Promise<void> {
    const isBusy = options.queueDepth() > BUSY_QUEUE && lagMs() < MAX_POLITE_LAG_MS
    if (waiting.size > 0 || isClosed || (hasMore && !isBusy)) return
    const restMs = Math.min(MAX_REST_MS, REST_MS + REST_MS_PER_EVENT * events)
    await pause(isBusy ? Math.max(MAX_REST_MS, tookMs * REST_FACTOR) : restMs, (end) => {
      endPoliteRest = end
    })
    endPoliteRest = () => {}
  }

  function note(step: IndexerStep): void {
    failing = undefined
    cursor = step.cursor
    setAside = step.setAside
    newestId = Math.max(newestId, step.newestId)
    behindSince = cursor < newestId ? (behindSince ?? performance.now()) : undefined
    isLeftToOthers = step.isLeftToOthers
    state =
      step.ratio === undefined
        ? { status: 'ready', cursor }
        : { status: 'building', ratio: step.ratio }
    if (state.status === 'building') return
    for (const one of waiting) {
      if (one.eventId > cursor) continue
      waiting.delete(one)
      one.resolve(true)
    }
  }

  /** Steps say nothing while they fail, so the log is asked for what waits. */
  async function noteFailure(error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : String(error)
    const since = failing?.since ?? performance.now()
    const waiting = await options.oldestWaiting().catch(() => failing?.waiting)
    failing = { since, text, waiting }
  }

  function lagMs(): number {
    const since = behindSince ?? announcedAt
    // An event after a silence is not as old as the one before it.
    const known =
      since === undefined ? 0 : Math.min(now() - eventTime(cursor), performance.now() - since)
    return Math.max(0, known, failing ? failedMs(failing) : 0)
  }

  function failedMs({ since, waiting }: Failing): number {
    if (waiting === undefined || waiting.isBuilding) return performance.now() - since
    return waiting.eventId === undefined ? 0 : now() - eventTime(waiting.eventId)
  }

  async function stepOnce(): Promise<IndexerStep | undefined> {
    const started = performance.now()
    behindSince ??= announcedAt
    announcedAt = undefined
    try {
      const step = await options.step()
      note(step)
      const tookMs = performance.now() - started
      options.onStep?.(step, tookMs / 1000)
      if (step.events > 0) await restPolitely(step, tookMs)
      return step
    } catch (error) {
      if (!isClosed) {
        options.onError(error)
        await noteFailure(error)
      }
      if (!(error instanceof ThreadEndedError)) await sleep(RETRY_MS, undefined, { ref: false })
      return undefined
    }
  }

  async function run(): Promise<void> {
    while (!isClosed) {
      if (holds.size > 0) {
        await rest(pollMs())
        isAwake = false
        continue
      }
      isAwake = false
      const step = stepOnce()
      stepping = step
      const done = await step
      if (done?.hasMore) continue
      const idleMs = isLeftToOthers ? Math.max(IDLE_POLL_MS, pollMs()) : pollMs()
      await rest(isLeftToOthers && waiting.size > 0 ? AWAITED_POLL_MS : idleMs)
    }
  }

  return {
    state: () => state,
    wake() {
      announcedAt ??= performance.now()
      wake()
    },
    cursor: () => cursor,
    lagMs,
    setAside: () => setAside,
    failure: () => failing?.text,
    passed(eventId, timeoutMs) {
      if (state.status === 'ready' && cursor >= eventId) return Promise.resolve(true)
      return new Promise((resolve) => {
        const one = {
          eventId,
          resolve(isPassed: boolean) {
            clearTimeout(timer)
            resolve(isPassed)
          },
        }
        const timer = setTimeout(() => {
          waiting.delete(one)
          resolve(false)
        }, timeoutMs)
        waiting.add(one)
        endPoliteRest()
        wake()
      })
    },
    async hold() {
      const held = Symbol('hold')
      holds.add(held)
      await stepping
      return () => {
        holds.delete(held)
        wake()
      }
    },
    async rebuild() {
      await options.rebuild()
      state = { status: 'building', ratio: 0 }
      wake()
    },
    start() {
      running ??= run()
    },
    async close() {
      isClosed = true
      endPoliteRest()
      wake()
      await running
      for (const one of waiting) one.resolve(false)
      waiting.clear()
    },
  }
}

/** Steps that fail, one after the other. */
type Failing = {
  /** By performance.now. */
  readonly since: number
  readonly text: string
  /** Undefined when that could not be found out. */
  readonly waiting: Waiting | undefined
}

/** Waits for a time or until `onStart`'s argument is called. */
function pause(ms: number, onStart: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    onStart(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
