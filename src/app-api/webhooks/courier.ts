import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../http/logger.ts'
import { eventTime } from '../../protocol/event-id.ts'
import type { ViewDelivery } from '../../storage/views/views.ts'
import type { Deliveries } from '../../views/port.ts'
import type { SendResult } from './send.ts'

// Sends the waiting deliveries of each webhook, one at a time and in order. The next delivery starts when the last one
// succeeded, so a receiver sees events in their order, and each at least once.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The waits after the first failures of a delivery; then hourly. */
export const BACK_OFF_MS = [
  SECOND_MS,
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
] as const
/** A webhook becomes inactive when an event could not be delivered for this long. */
export const GIVE_UP_MS = DAY_MS
/** A webhook with more waiting deliveries becomes inactive. */
export const MAX_WAITING = 100_000
/** Deliveries of all webhooks that are sent at the same time. */
export const MAX_IN_FLIGHT = 64

/** Deliveries of one webhook before it is the turn of others. */
const MAX_IN_TURN = 100

type CourierContext = {
  readonly queue: Deliveries
  /** `inactive`: the webhook is off or gone. `obsolete`: there is nothing to report any more. */
  send(delivery: ViewDelivery, stop: AbortSignal): Promise<SendResult | 'inactive' | 'obsolete'>
  /** Makes a webhook inactive and says why. */
  deactivate(webhook: string, fault: string): Promise<void>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  /** Counts an attempt. */
  readonly count: (outcome: DeliveryOutcome) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'dropped'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

export class Courier {
  readonly #context: CourierContext
  /** Webhooks whose deliveries are being sent. */
  readonly #busy = new Map<string, Promise<void>>()
  /** When each webhook that has deliveries waiting was last served and last counted. */
  readonly #servedAt = new Map<string, number>()
  readonly #countedAt = new Map<string, number>()
  #failures: unknown[] = []

  constructor(context: CourierContext) {
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

  /** Starts as many of the due webhooks as may run; the ones that have waited longest come first. */
  async #start(stop: AbortSignal): Promise<void> {
    const now = this.#context.nowMs()
    const heads = await this.#context.queue.heads()
    this.#keepOnly(heads)
    const servedAt = (webhook: string) => this.#servedAt.get(webhook) ?? 0
    const due = heads
      .filter(({ webhook, due }) => due <= now && !this.#busy.has(webhook))
      .sort((a, b) => servedAt(a.webhook) - servedAt(b.webhook))
    for (const { webhook } of due) {
      if (this.#busy.size >= MAX_IN_FLIGHT || stop.aborted) return
      this.#servedAt.set(webhook, now)
      const ended = this.#serve(webhook, stop)
        .catch((error) => {
          this.#failures.push(error)
        })
        .finally(() => this.#busy.delete(webhook))
      this.#busy.set(webhook, ended)
    }
  }

  #keepOnly(heads: readonly ViewDelivery[]): void {
    const waiting = new Set(heads.map(({ webhook }) => webhook))
    for (const times of [this.#servedAt, this.#countedAt]) {
      for (const webhook of times.keys()) if (!waiting.has(webhook)) times.delete(webhook)
    }
  }

  /**
   * Sends a webhook's deliveries in order until one fails, none is left or others should have their turn. The
   * list of heads may be older than the last delivery of the turn before, so the head is read again.
   */
  async #serve(webhook: string, stop: AbortSignal): Promise<void> {
    const { queue, nowMs } = this.#context
    for (let sent = 0; sent < MAX_IN_TURN; sent++) {
      const next = await queue.head(webhook)
      if (!next || next.due > nowMs() || stop.aborted) return
      if (!(await this.#deliver(next, stop))) return
    }
  }

  /** True when the webhook's next delivery may be sent. */
  async #deliver(delivery: ViewDelivery, stop: AbortSignal): Promise<boolean> {
    const { queue, send, count } = this.#context
    const { webhook } = delivery
    const result = await send(delivery, stop)
    if (result === 'inactive') {
      await queue.drop(webhook)
      return false
    }
    if (result === 'obsolete' || result.outcome === 'delivered') {
      await queue.remove(delivery)
      count(result === 'obsolete' ? 'dropped' : 'delivered')
      return !(await this.#switchOffOverfull(webhook))
    }
    count('failed')
    await this.#fail(delivery, result)
    return false
  }

  async #fail(delivery: ViewDelivery, result: SendResult): Promise<void> {
    const { queue, log, nowMs } = this.#context
    const { webhook, event } = delivery
    if (await this.#switchOffOverfull(webhook)) return
    if (result.outcome === 'gone') return this.#switchOff(webhook, 'the receiver answered 410')
    if (nowMs() - eventTime(event) >= GIVE_UP_MS) {
      return this.#switchOff(webhook, `no success for 24 hours: ${reasonOf(result)}`)
    }
    const attempts = delivery.attempts + 1
    const waitMs = BACK_OFF_MS[attempts - 1] ?? HOUR_MS
    const why = reasonOf(result)
    log.info({ webhook, event, attempts, why, waitMs }, 'webhook delivery failed')
    await queue.postpone(delivery, attempts, nowMs() + waitMs)
  }

  async #switchOff(webhook: string, fault: string): Promise<void> {
    const { queue, deactivate, log } = this.#context
    log.warn({ webhook, fault }, 'webhook switched off')
    await deactivate(webhook, fault)
    await queue.drop(webhook)
  }

  /** Whether the webhook had too many deliveries waiting. Counting is slow, so it is done once a minute. */
  async #switchOffOverfull(webhook: string): Promise<boolean> {
    const now = this.#context.nowMs()
    if (now - (this.#countedAt.get(webhook) ?? 0) < MINUTE_MS) return false
    this.#countedAt.set(webhook, now)
    const waiting = await this.#context.queue.count(webhook, MAX_WAITING + 1)
    if (waiting <= MAX_WAITING) return false
    await this.#switchOff(webhook, `more than ${MAX_WAITING} deliveries wait`)
    return true
  }
}

/** How often new deliveries of other webhooks are looked for while some are being sent. */
const POLL_MS = 250

/** Ends early when it is stopped. */
const pause = (signal: AbortSignal): Promise<void> =>
  delay(POLL_MS, undefined, { signal }).catch(() => {})

const reasonOf = (result: SendResult): string =>
  result.outcome === 'failed' ? result.reason : `answered ${result.status}`
