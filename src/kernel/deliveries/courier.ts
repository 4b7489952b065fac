import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../http/logger.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../protocol/time.ts'
import type { SendResult } from './send.ts'

// Sends the waiting deliveries of each target, one at a time and in order. The next delivery starts when the last one
// succeeded, so a receiver sees events in their order, and each at least once. Targets are targets of apps, and mini apps.

/** The waits after the first failures of a delivery; then hourly. */
export const BACK_OFF_MS = [
  SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
] as const
/** A delivery that has not succeeded for this long is given up. */
export const GIVE_UP_MS = DAY_MS
/** A target with more waiting deliveries is given up. */
export const MAX_WAITING = 100_000
/** Deliveries of all targets that are sent at the same time. */
export const MAX_IN_FLIGHT = 64

/** How many deliveries of one target are made before other targets follow, and the time after which no further one begins. */
const MAX_IN_TURN = 100
const MAX_TURN_MS = 5 * SECOND_MS

/** What waits to be sent. */
export type Delivery = {
  readonly target: string
  readonly attempts: number
  /** Unix milliseconds of the next attempt, and of the event that it is about. */
  readonly due: number
  readonly queuedAt: number
}

/** Where deliveries wait. */
export type DeliveryQueue<D extends Delivery> = {
  /** The first waiting delivery of each target. */
  heads(): Promise<D[]>
  /** The first one of a target. */
  head(target: string): Promise<D | undefined>
  /** How many wait for a target, counted up to `limit`. */
  count(target: string, limit: number): Promise<number>
  /** Takes a delivery out, with what its receiver answered, or why it was not sent. */
  end(delivery: D, outcome: 'delivered' | 'dropped', answer: string): Promise<void>
  /** Notes a failed attempt and why; `due` is Unix milliseconds. */
  postpone(delivery: D, attempts: number, due: number, why: string): Promise<void>
  /** Takes out everything that waits for a target. */
  drop(target: string, why: string): Promise<void>
}

type CourierContext<D extends Delivery> = {
  readonly queue: DeliveryQueue<D>
  /** `inactive`: the target is off or gone. `obsolete`: there is nothing to report any more. */
  send(delivery: D, stop: AbortSignal): Promise<SendResult | 'inactive' | 'obsolete'>
  /** Ends a delivery that no further attempt will bring, or all of a target that has too many waiting. */
  giveUp(target: string, fault: string, delivery?: D): Promise<void>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  /** Counts an attempt. */
  readonly count: (outcome: DeliveryOutcome) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'dropped'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

export class Courier<D extends Delivery> {
  readonly #context: CourierContext<D>
  /** Targets whose deliveries are being sent. */
  readonly #busy = new Map<string, Promise<void>>()
  /** When each target that has deliveries waiting was last served and last counted. */
  readonly #servedAt = new Map<string, number>()
  readonly #countedAt = new Map<string, number>()
  #failures: unknown[] = []

  constructor(context: CourierContext<D>) {
    this.#context = context
  }

  /** Sends everything that is due, until nothing is or it is stopped. Calls must not overlap. */
  async run(stop: AbortSignal): Promise<void> {
    this.#failures = []
    do {
      await this.#start(stop)
      if (this.#busy.size > 0) await Promise.race([...this.#busy.values(), pause(stop)])
    } while (this.#busy.size > 0 && !stop.aborted && this.#failures.length === 0)
    await Promise.all(this.#busy.values())
    if (this.#failures.length > 0 && !stop.aborted) throw this.#failures[0]
  }

  /** Starts as many of the due targets as may run; the ones that have waited longest come first. */
  async #start(stop: AbortSignal): Promise<void> {
    const now = this.#context.nowMs()
    const heads = await this.#context.queue.heads()
    this.#keepOnly(heads)
    const servedAt = (target: string) => this.#servedAt.get(target) ?? 0
    const due = heads
      .filter(({ target, due }) => due <= now && !this.#busy.has(target))
      .sort((a, b) => servedAt(a.target) - servedAt(b.target))
    for (const { target } of due) {
      if (this.#busy.size >= MAX_IN_FLIGHT || stop.aborted) return
      this.#servedAt.set(target, now)
      const ended = this.#serve(target, stop)
        .catch((error) => {
          this.#failures.push(error)
        })
        .finally(() => this.#busy.delete(target))
      this.#busy.set(target, ended)
    }
  }

  #keepOnly(heads: readonly D[]): void {
    const waiting = new Set(heads.map(({ target }) => target))
    for (const times of [this.#servedAt, this.#countedAt]) {
      for (const target of times.keys()) if (!waiting.has(target)) times.delete(target)
    }
  }

  /**
   * Sends a target's deliveries in order until one fails, none is left or others should have their turn. The
   * list of heads may be older than the last delivery of the turn before, so the head is read again.
   */
  async #serve(target: string, stop: AbortSignal): Promise<void> {
    const { queue, nowMs } = this.#context
    const begunAt = nowMs()
    for (let sent = 0; sent < MAX_IN_TURN && nowMs() - begunAt < MAX_TURN_MS; sent++) {
      const next = await queue.head(target)
      if (!next || next.due > nowMs() || stop.aborted) return
      if (!(await this.#deliver(next, stop))) return
    }
  }

  /** True when the target's next delivery may be sent. */
  async #deliver(delivery: D, stop: AbortSignal): Promise<boolean> {
    const { queue, send, count } = this.#context
    const { target } = delivery
    const result = await send(delivery, stop)
    if (result === 'inactive') {
      await queue.drop(target, 'nothing is sent there any more')
      return false
    }
    if (result === 'obsolete') {
      await queue.end(delivery, 'dropped', 'there was nothing to report any more')
      count('dropped')
      return !(await this.#giveUpOverfull(target))
    }
    if (result.outcome === 'delivered') {
      await queue.end(delivery, 'delivered', reasonOf(result))
      count('delivered')
      return !(await this.#giveUpOverfull(target))
    }
    count('failed')
    await this.#fail(delivery, result)
    return false
  }

  async #fail(delivery: D, result: SendResult): Promise<void> {
    const { queue, log, nowMs } = this.#context
    const { target, queuedAt } = delivery
    if (await this.#giveUpOverfull(target)) return
    if (result.outcome === 'gone') {
      return this.#giveUp(target, 'the receiver answered 410', delivery)
    }
    if (nowMs() - queuedAt >= GIVE_UP_MS) {
      return this.#giveUp(target, `no success for 24 hours: ${reasonOf(result)}`, delivery)
    }
    const attempts = delivery.attempts + 1
    const waitMs = BACK_OFF_MS[attempts - 1] ?? HOUR_MS
    const why = reasonOf(result)
    log.info({ target, attempts, why, waitMs }, 'delivery failed')
    await queue.postpone(delivery, attempts, nowMs() + waitMs, why)
  }

  async #giveUp(target: string, fault: string, delivery?: D): Promise<void> {
    this.#context.log.warn({ target, fault }, 'delivery given up')
    await this.#context.giveUp(target, fault, delivery)
  }

  /** Whether the target had too many deliveries waiting. Counting is slow, so it is done once a minute. */
  async #giveUpOverfull(target: string): Promise<boolean> {
    const now = this.#context.nowMs()
    if (now - (this.#countedAt.get(target) ?? 0) < MINUTE_MS) return false
    this.#countedAt.set(target, now)
    const waiting = await this.#context.queue.count(target, MAX_WAITING + 1)
    if (waiting <= MAX_WAITING) return false
    await this.#giveUp(target, `more than ${MAX_WAITING} deliveries wait`)
    return true
  }
}

/** How often new deliveries of other targets are looked for while some are being sent. */
const POLL_MS = 250

/** Ends early when it is stopped. */
const pause = (signal: AbortSignal): Promise<void> =>
  delay(POLL_MS, undefined, { signal }).catch(() => {})

const reasonOf = (result: SendResult): string =>
  result.outcome === 'failed' ? result.reason : `answered ${result.status}`
