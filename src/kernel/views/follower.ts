import { setTimeout as sleep } from 'node:timers/promises'
import { ThreadEndedError } from '../base/thread.ts'
import { eventTime } from '../protocol/event-id.ts'
import type { IndexerStep } from './indexer-work.ts'
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
  /** Changes when other data take the place of these. */
  resets?(): number
  onStep?(step: IndexerStep, seconds: number): void
  onError(error: unknown): void
  /** Milliseconds until the next check for events of which no notification came. */
  pollMs?(): number
}

/** The oldest event that is not applied, or that there is none. While the views are built anew, nothing is applied yet. */
export type Waiting = { readonly eventId: number | undefined; readonly isBuilding: boolean }

/** How late events of other processes are noticed while they cannot be announced. */
export const POLL_MS = 200
/** The same in a process that leaves the work to another one. */
const IDLE_POLL_MS = 500
/** While a caller waits for an event that another process applies. */
const AWAITED_POLL_MS = 20
const RETRY_MS = 1_000
/** Waiting messages that show that submits come faster than one after the other. */
const BUSY_QUEUE = 16
/** Beyond this lag the views do not rest, whatever waits. */
const MAX_REST_LAG_MS = 10_000
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
export class Follower implements Views {
  readonly #options: FollowerOptions
  readonly #pollMs: () => number
  readonly #waiting = new Set<{ readonly eventId: number; resolve(isPassed: boolean): void }>()
  readonly #holds = new Set<symbol>()
  #state: ViewsState = { status: 'building', ratio: 0 }
  #cursor = 0
  #newestId = 0
  /** Of the data to which these ids belong. */
  #resets = 0
  /** Since when events wait, as far as steps know, and since when others have been announced. By performance.now. */
  #behindSince: number | undefined
  #announcedAt: number | undefined
  #failing: Failing | undefined
  #setAside = 0
  #isLeftToOthers = false
  #stepping: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #isAwake = false
  readonly #idlePause = new Pause()
  readonly #loadPause = new Pause()
  #running: Promise<void> | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#pollMs = options.pollMs ?? (() => POLL_MS)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#loadPause.end()
    this.#wake()
    await this.#running
    for (const one of this.#waiting) one.resolve(false)
    this.#waiting.clear()
  }

  state(): ViewsState {
    return this.#state
  }

  /** Id of the last event that was applied, as far as this process knows. */
  get cursor(): number {
    return this.#cursor
  }

  /** Parts of events that are set aside. */
  get setAside(): number {
    return this.#setAside
  }

  /** Why the last step failed; undefined when it did not. */
  get failure(): string | undefined {
    return this.#failing?.text
  }

  /** Milliseconds that the oldest event which is not applied has waited; 0 when there is none. */
  get lagMs(): number {
    const since = this.#behindSince ?? this.#announcedAt
    const now = this.#options.now()
    // An event after a silence is not as old as the one before it.
    const known =
      since === undefined ? 0 : Math.min(now - eventTime(this.#cursor), performance.now() - since)
    return Math.max(0, known, this.#failing ? failedMs(this.#failing, now) : 0)
  }

  wake(): void {
    this.#announcedAt ??= performance.now()
    this.#wake()
  }

  passed(eventId: number, timeoutMs: number): Promise<boolean> {
    const isKnown = this.#state.status === 'ready' && this.#resets === this.#currentResets()
    if (isKnown && this.#cursor >= eventId) return Promise.resolve(true)
    return new Promise((resolve) => {
      const one = {
        eventId,
        resolve(isPassed: boolean) {
          clearTimeout(timer)
          resolve(isPassed)
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(one)
        resolve(false)
      }, timeoutMs)
      this.#waiting.add(one)
      this.#loadPause.end()
      this.#wake()
    })
  }

  async hold(): Promise<() => void> {
    const held = Symbol('hold')
    this.#holds.add(held)
    await this.#stepping
    return () => {
      this.#holds.delete(held)
      this.#wake()
    }
  }

  async rebuild(): Promise<void> {
    await this.#options.rebuild()
    this.#state = { status: 'building', ratio: 0 }
    this.#wake()
  }

  #wake(): void {
    this.#isAwake = true
    this.#idlePause.end()
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#holds.size > 0) {
        await this.#rest(this.#pollMs())
        this.#isAwake = false
        continue
      }
      this.#isAwake = false
      const step = this.#step()
      this.#stepping = step
      const done = await step
      if (done?.hasMore) continue
      const idleMs = this.#isLeftToOthers ? Math.max(IDLE_POLL_MS, this.#pollMs()) : this.#pollMs()
      await this.#rest(this.#isLeftToOthers && this.#waiting.size > 0 ? AWAITED_POLL_MS : idleMs)
    }
  }

  async #step(): Promise<IndexerStep | undefined> {
    const started = performance.now()
    const resets = this.#currentResets()
    this.#behindSince ??= this.#announcedAt
    this.#announcedAt = undefined
    try {
      const step = await this.#options.step()
      this.#onStep(step, resets)
      const tookMs = performance.now() - started
      this.#options.onStep?.(step, tookMs / 1000)
      if (step.events > 0) await this.#restAfter(step, tookMs)
      return step
    } catch (error) {
      if (!this.#isClosed) {
        this.#options.onError(error)
        await this.#onFailure(error)
      }
      if (!(error instanceof ThreadEndedError)) await sleep(RETRY_MS, undefined, { ref: false })
      return undefined
    }
  }

  #currentResets(): number {
    return this.#options.resets?.() ?? 0
  }

  /** `resets` are those before the step. */
  #onStep(step: IndexerStep, resets: number): void {
    const { cursor, newestId, ratio, earlierBuilds, setAside, isLeftToOthers } = step
    this.#failing = undefined
    this.#cursor = cursor
    this.#setAside = setAside
    this.#newestId = resets === this.#resets ? Math.max(this.#newestId, newestId) : newestId
    this.#resets = resets
    const isBehind = cursor < this.#newestId
    this.#behindSince = isBehind ? (this.#behindSince ?? performance.now()) : undefined
    this.#isLeftToOthers = isLeftToOthers
    this.#state =
      ratio === undefined
        ? { status: 'ready', cursor, earlierBuilds }
        : { status: 'building', ratio }
    // Who waits now waits for an event of the data that are there now.
    if (ratio !== undefined || resets !== this.#currentResets()) return
    for (const one of this.#waiting) {
      if (one.eventId > cursor) continue
      this.#waiting.delete(one)
      one.resolve(true)
    }
  }

  /** A failed step reports nothing, so the log is asked for the oldest event that waits. */
  async #onFailure(error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : String(error)
    const since = this.#failing?.since ?? performance.now()
    const waiting = await this.#options.oldestWaiting().catch(() => this.#failing?.waiting)
    this.#failing = { since, text, waiting }
  }

  async #rest(ms: number): Promise<void> {
    if (!this.#isAwake && !this.#isClosed) await this.#idlePause.wait(ms)
  }

  /** Leaves processor time to submits. New events do not end the pause; a waiting caller does. */
  async #restAfter({ hasMore, events }: IndexerStep, tookMs: number): Promise<void> {
    const isBusy = this.#options.queueDepth() > BUSY_QUEUE && this.lagMs < MAX_REST_LAG_MS
    if (this.#waiting.size > 0 || this.#isClosed || (hasMore && !isBusy)) return
    const restMs = Math.min(MAX_REST_MS, REST_MS + REST_MS_PER_EVENT * events)
    await this.#loadPause.wait(isBusy ? Math.max(MAX_REST_MS, tookMs * REST_FACTOR) : restMs)
  }
}

function failedMs({ since, waiting }: Failing, now: number): number {
  if (waiting === undefined || waiting.isBuilding) return performance.now() - since
  return waiting.eventId === undefined ? 0 : now - eventTime(waiting.eventId)
}

/** Consecutive failures of steps. */
type Failing = {
  /** By performance.now. */
  readonly since: number
  readonly text: string
  /** Undefined when that could not be found out. */
  readonly waiting: Waiting | undefined
}

/** A wait that can be ended early. */
class Pause {
  #end = () => {}

  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      this.#end = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#end = () => {}
  }

  end(): void {
    this.#end()
  }
}
