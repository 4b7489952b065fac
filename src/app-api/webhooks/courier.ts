import type { Logger } from '../../http/logger.ts'
import { eventTime } from '../../protocol/event-id.ts'
import type { SendResult } from './send.ts'

// Sends what waits for each webhook, one at a time and in order. The next delivery starts when the last one
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
/** A webhook that could not be told of an event for this long becomes inactive. */
export const GIVE_UP_MS = DAY_MS
/** A webhook with more waiting deliveries becomes inactive. */
export const MAX_WAITING = 100_000
/** Deliveries of all webhooks that are sent at the same time. */
export const MAX_IN_FLIGHT = 64

/** Deliveries of one webhook after which others have their turn. */
const MAX_IN_TURN = 100

/** A waiting delivery of `view_delivery`. */
export type Delivery = {
  readonly webhook: string
  /** Id of the event. */
  readonly event: number
  readonly n: number
  readonly type: string
  /** What the payload is rendered from, as JSON. */
  readonly subject: string
  readonly attempts: number
  /** Unix milliseconds of the next attempt. */
  readonly due: number
}
export type DeliveryKey = Pick<Delivery, 'webhook' | 'event' | 'n'>

/** What waits, as the views keep it. */
export type DeliveryQueue = {
  /** The first waiting delivery of each webhook, by (event, n). */
  heads(): Promise<Delivery[]>
  /** The first one of a webhook. */
  head(webhook: string): Promise<Delivery | undefined>
  /** How many wait for a webhook, counted up to `limit`. */
  count(webhook: string, limit: number): Promise<number>
  /** Deletes a delivery. */
  remove(key: DeliveryKey): Promise<void>
  /** Notes a failed attempt. */
  postpone(key: DeliveryKey, attempts: number, due: number): Promise<void>
  /** Deletes everything that waits for a webhook. */
  drop(webhook: string): Promise<void>
}

export type CourierOptions = {
  readonly queue: DeliveryQueue
  /** Sends it. Undefined: the webhook is inactive or gone, or there is nothing to tell any more. */
  send(delivery: Delivery, stop: AbortSignal): Promise<SendResult | 'inactive' | 'obsolete'>
  /** Makes a webhook inactive and says why. */
  deactivate(webhook: string, fault: string): Promise<void>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  readonly delivered: (outcome: DeliveryOutcome) => void
  readonly log: Pick<Logger, 'info' | 'warn'>
}

export const DELIVERY_OUTCOMES = ['delivered', 'failed', 'dropped'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

export type Courier = {
  /** Sends everything that is due, until nothing is or it is stopped. Calls must not overlap. */
  run(stop: AbortSignal): Promise<void>
}

export function createCourier(options: CourierOptions): Courier {
  const { queue, nowMs, log } = options
  /** Webhooks whose deliveries are being sent. */
  const busy = new Map<string, Promise<void>>()
  /** When each webhook that has something waiting was last served and last counted. */
  const served = new Map<string, number>()
  const counted = new Map<string, number>()
  let failures: unknown[] = []

  /**
   * Sends a webhook's deliveries in order until one fails, none is left or others should have their turn. The
   * list of heads may be older than the last delivery of the turn before, so the head is read again.
   */
  async function serve(webhook: string, stop: AbortSignal): Promise<void> {
    for (let sent = 0; sent < MAX_IN_TURN; sent++) {
      const next = await queue.head(webhook)
      if (!next || next.due > nowMs() || stop.aborted) return
      if (!(await deliver(next, stop))) return
    }
  }

  /** True when the webhook's next delivery may be sent. */
  async function deliver(delivery: Delivery, stop: AbortSignal): Promise<boolean> {
    const { webhook } = delivery
    const result = await options.send(delivery, stop)
    if (result === 'inactive') {
      await queue.drop(webhook)
      return false
    }
    if (result === 'obsolete' || result.outcome === 'delivered') {
      await queue.remove(delivery)
      options.delivered(result === 'obsolete' ? 'dropped' : 'delivered')
      return !(await isOverfull(webhook))
    }
    options.delivered('failed')
    await fail(delivery, result)
    return false
  }

  async function switchOff(webhook: string, fault: string): Promise<void> {
    log.warn({ webhook, fault }, 'webhook switched off')
    await options.deactivate(webhook, fault)
    await queue.drop(webhook)
  }

  /** Switches a webhook off that has too much waiting. Counting takes a while, so it is done once a minute. */
  async function isOverfull(webhook: string): Promise<boolean> {
    const now = nowMs()
    if (now - (counted.get(webhook) ?? 0) < MINUTE_MS) return false
    counted.set(webhook, now)
    if ((await queue.count(webhook, MAX_WAITING + 1)) <= MAX_WAITING) return false
    await switchOff(webhook, `more than ${MAX_WAITING} deliveries wait`)
    return true
  }

  async function fail(delivery: Delivery, result: SendResult): Promise<void> {
    const { webhook, event } = delivery
    if (await isOverfull(webhook)) return
    const fault = faultOf(delivery, result)
    if (fault !== undefined) {
      await switchOff(webhook, fault)
      return
    }
    const attempts = delivery.attempts + 1
    const waitMs = BACK_OFF_MS[attempts - 1] ?? HOUR_MS
    log.info({ webhook, event, attempts, why: whyOf(result), waitMs }, 'webhook delivery failed')
    await queue.postpone(delivery, attempts, nowMs() + waitMs)
  }

  /** Why the webhook must become inactive, if it must. */
  function faultOf({ event }: Delivery, result: SendResult): string | undefined {
    if (result.outcome === 'gone') return 'the receiver answered 410'
    if (nowMs() - eventTime(event) < GIVE_UP_MS) return undefined
    return `no success for 24 hours: ${whyOf(result)}`
  }

  /** Starts as many of the due webhooks as may run, those first that were not served for longest. */
  async function start(stop: AbortSignal): Promise<void> {
    const now = nowMs()
    const heads = await queue.heads()
    forgetOthers(heads)
    const due = heads
      .filter(({ webhook, due }) => due <= now && !busy.has(webhook))
      .sort((a, b) => (served.get(a.webhook) ?? 0) - (served.get(b.webhook) ?? 0))
    for (const { webhook } of due) {
      if (busy.size >= MAX_IN_FLIGHT || stop.aborted) return
      served.set(webhook, now)
      const ended = serve(webhook, stop)
        .catch((error) => {
          failures.push(error)
        })
        .finally(() => busy.delete(webhook))
      busy.set(webhook, ended)
    }
  }

  function forgetOthers(heads: readonly Delivery[]): void {
    const waiting = new Set(heads.map(({ webhook }) => webhook))
    for (const known of [served, counted]) {
      for (const webhook of known.keys()) if (!waiting.has(webhook)) known.delete(webhook)
    }
  }

  return {
    async run(stop) {
      failures = []
      do {
        await start(stop)
        if (busy.size > 0) await Promise.race([...busy.values(), pause(stop)])
      } while (busy.size > 0 && !stop.aborted && failures.length === 0)
      await Promise.all(busy.values())
      if (failures.length > 0 && !stop.aborted) throw failures[0]
    },
  }
}

/** New deliveries of other webhooks are looked for this often while some are being sent. */
const LOOK_AGAIN_MS = 250

const pause = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      stop.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, LOOK_AGAIN_MS)
    stop.addEventListener('abort', done)
  })

const whyOf = (result: SendResult): string =>
  result.outcome === 'failed' ? result.reason : `answered ${result.status}`
