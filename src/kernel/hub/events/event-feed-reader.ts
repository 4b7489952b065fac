import { setTimeout as sleep } from 'node:timers/promises'
import { Semaphore } from '../../base/concurrency.ts'
import type { Logger } from '../../http/logger.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { HubEventType } from '../../protocol/wire/hub_event_pb.js'
import { type Signals, UNANNOUNCED_POLL_MS } from '../../storage/engines/signals.ts'
import type { PublishedEvents, StoredEvent } from '../../storage/messages/events.ts'
import type { HubJsonWriter } from '../reads/json-writer.ts'
import type { EventFeed, FeedEvent, FeedRequest, FeedSubscription } from './event-feed.ts'
import { FEED_BATCH_BYTES } from './event-feed.ts'
import { FeedEntry } from './event-feed-entry.ts'
import { EventRing } from './event-feed-ring.ts'
import { type LogEnd, refuseFuture } from './future-event.ts'

export type FeedMetrics = {
  delivered(events: number): void
  /** One read of the log for subscribers that are behind the ring. */
  readBehind(): void
}

type FeedOptions = {
  readonly events: PublishedEvents
  /** Without it the events say themselves which is the newest. */
  readonly end?: LogEnd
  /** Changes with a reset of the store, after which the log may begin before the newest event that is known here. */
  readonly resets?: () => number
  /** Say when to read the log, and how often to poll it besides. */
  readonly signals: Pick<Signals, 'on' | 'pollMs'>
  readonly json: HubJsonWriter
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly metrics?: FeedMetrics
  readonly bounds?: Partial<FeedBounds>
}

export type FeedBounds = {
  /** Bytes of the newest events that stay in memory for all subscribers. */
  readonly ringBytes: number
  /** Time between deliveries, with few and with many subscribers: a write costs the same for ten events as for one. */
  readonly wakeMs: number
  readonly busyWakeMs: number
  /** How long the first event after a silence waits for others, such as those of the same bulk submit. */
  readonly gatherMs: number
  readonly retryMs: number
  /** Subscriptions end when the store could not be read for this time. */
  readonly maxOutageMs: number
}

const DEFAULT_BOUNDS: FeedBounds = {
  ringBytes: 16 * 1024 * 1024,
  wakeMs: 10,
  busyWakeMs: 25,
  gatherMs: 3,
  retryMs: 1_000,
  maxOutageMs: 60_000,
}

const MANY_SUBSCRIBERS = 250
/** One read of the log. */
const READ_EVENTS = 500
const READ_BYTES = 1024 * 1024
/** Reads for subscribers behind the ring that run at a time in a process. */
const MAX_READS_BEHIND = 2
/**
 * One such read for a subscriber without a filter: about as much as fits into FEED_BATCH_BYTES when
 * encoded. The rest is read again. A subscriber with a filter reads more, because it drops most of
 * it.
 */
const READ_BEHIND_BYTES = 40 * 1024
/** The store sums up the sizes of this many events for such a read: about as many as fit into it. */
const READ_BEHIND_EVENTS = 125
const READ_FILTERED_BYTES = 256 * 1024

/** The feed of a process. Without subscribers it reads and holds nothing. */
export class LogFeed implements EventFeed {
  readonly #options: FeedOptions
  readonly #bounds: FeedBounds
  readonly #subscriptions = new Set<Subscription>()
  readonly #readsBehind = new Semaphore({ running: MAX_READS_BEHIND })
  #ring: EventRing | undefined
  #starting: Promise<EventRing> | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the timer fires, by performance.now(). */
  #timerAt = 0
  #reading: Promise<void> | undefined
  /** Whether something may have been committed since the last read began. */
  #isReadWanted = false
  #lastReadAt = Number.NEGATIVE_INFINITY
  #failingSince: number | undefined
  #resets: number | undefined
  #isClosed = false
  /** Set while there are subscribers. */
  #ignoreSignals: (() => void) | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.#bounds = { ...DEFAULT_BOUNDS, ...options.bounds }
  }

  /** Subscriptions that follow the ring, and those that read older events from the log. */
  get subscriptions(): { readonly live: number; readonly behind: number } {
    const { after = 0 } = this.#ring ?? {}
    const behind = [...this.#subscriptions].filter(({ position }) => position < after).length
    return { live: this.#subscriptions.size - behind, behind }
  }

  /** Bytes that the ring occupies; 0 without subscribers. */
  get ringBytes(): number {
    return this.#ring?.bytes ?? 0
  }

  async subscribe(request: FeedRequest): Promise<FeedSubscription> {
    if (this.#isClosed) throw STOPPING()
    const subscription = new Subscription(this, request)
    this.#subscriptions.add(subscription)
    request.signal.addEventListener('abort', () => this.#end(subscription), { once: true })
    try {
      // The ring has to begin before the position is fixed: then the log and the ring leave no gap between them.
      await this.#start()
      await subscription.begin(this.#options)
    } catch (error) {
      this.#end(subscription)
      throw error
    }
    // It may have been aborted meanwhile, or the feed closed.
    if (request.signal.aborted || this.#isClosed) this.#end(subscription)
    return subscription
  }

  wake(): void {
    if (!this.#ring) return
    const many = this.#subscriptions.size > MANY_SUBSCRIBERS
    const interval = many ? this.#bounds.busyWakeMs : this.#bounds.wakeMs
    this.#readAt(Math.max(this.#lastReadAt + interval, performance.now() + this.#bounds.gatherMs))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const subscription of [...this.#subscriptions]) {
      subscription.fail(STOPPING())
      this.#end(subscription)
    }
    await this.#reading
  }

  /** The events that a subscription at this position may take now; undefined when it is behind the ring. */
  readRing(position: number): Iterable<FeedEntry> | undefined {
    const ring = this.#ring
    if (!ring || position < ring.after) return undefined
    return ring.above(position)
  }

  /**
   * The next events of the log above a position, of which many may be unwanted. The list is empty when
   * there are none up to `newest`, where the ring can continue.
   */
  async readLog(
    position: number,
    isFiltered: boolean,
  ): Promise<{ entries: FeedEntry[]; newest: number }> {
    const [count, bytes] = isFiltered
      ? [READ_EVENTS, READ_FILTERED_BYTES]
      : [READ_BEHIND_EVENTS, READ_BEHIND_BYTES]
    const failingSince = performance.now()
    for (;;) {
      try {
        return await this.#readsBehind.run('feed', async () => {
          this.#options.metrics?.readBehind()
          // What the ring has was committed before, so this read sees all of it.
          const newest = this.#ring?.newest ?? position
          const stored = await this.#options.events.list(position + 1, count, bytes)
          return { entries: stored.map((event) => this.#entry(event)), newest }
        })
      } catch (error) {
        if (this.#isClosed) throw STOPPING()
        if (performance.now() - failingSince >= this.#bounds.maxOutageMs) throw UNREADABLE()
        this.#options.log.warn({ err: error }, 'event log cannot be read; retrying')
        await sleep(this.#bounds.retryMs)
      }
    }
  }

  /** To be called after events of the ring were written out: they have grown. */
  trimRing(): void {
    this.#ring?.trim()
  }

  delivered(events: number): void {
    this.#options.metrics?.delivered(events)
  }

  #entry(event: StoredEvent): FeedEntry {
    return new FeedEntry(event, this.#options.json)
  }

  /** Begins to read after the newest event, when there was no subscriber. */
  async #start(): Promise<void> {
    const resets = this.#options.resets?.()
    this.#starting ??= this.#options.events
      .newestId()
      .then((id) => new EventRing(this.#bounds.ringBytes, id))
    const starting = this.#starting
    try {
      const ring = await starting
      if (this.#ring || this.#starting !== starting || this.#isClosed) return
      this.#ring = ring
      this.#resets = resets
      this.#ignoreSignals = this.#options.signals.on('events', () => this.wake())
      this.#readAt(performance.now() + UNANNOUNCED_POLL_MS)
    } catch (error) {
      if (this.#starting === starting) this.#starting = undefined
      throw error
    }
  }

  #end(subscription: Subscription): void {
    subscription.end()
    this.#subscriptions.delete(subscription)
    if (this.#subscriptions.size > 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#ignoreSignals?.()
    this.#ignoreSignals = undefined
    this.#ring = undefined
    this.#starting = undefined
    this.#failingSince = undefined
  }

  /** Reads the log at this time, or earlier when that was asked for already. */
  #readAt(at: number): void {
    if (this.#timer && this.#timerAt <= at) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#isReadWanted = true
        this.#reading ??= this.#readOn().finally(() => {
          this.#reading = undefined
        })
      },
      Math.max(0, at - performance.now()),
    )
    this.#timer.unref()
  }

  /** Reads up to the end of the log and delivers new events. */
  async #readOn(): Promise<void> {
    const ring = this.#ring
    if (!ring) return
    // It is another log now, which subscribers have to begin anew.
    if (this.#options.resets?.() !== this.#resets) {
      for (const subscription of [...this.#subscriptions]) this.#end(subscription)
      return
    }
    let nextMs: number
    try {
      for (;;) {
        this.#lastReadAt = performance.now()
        this.#isReadWanted = false
        const events = await this.#options.events.list(ring.newest + 1, READ_EVENTS, READ_BYTES)
        if (this.#ring !== ring) return
        if (events.length === 0 && !this.#isReadWanted) break
        // The ring may hold the content of a message that is hidden or erased now: subscribers behind read the log again.
        if (events.some(({ type }) => type === HubEventType.REVOKE_MESSAGE)) ring.clear()
        for (const event of events) ring.push(this.#entry(event))
        for (const subscription of this.#subscriptions) subscription.onEvents()
      }
      if (this.#failingSince !== undefined) this.#options.log.info('event log can be read again')
      this.#failingSince = undefined
      nextMs = this.#options.signals.pollMs
    } catch (error) {
      if (this.#ring !== ring) return
      this.#onUnreadable(error)
      nextMs = this.#bounds.retryMs
    }
    if (this.#ring) this.#readAt(performance.now() + nextMs)
  }

  #onUnreadable(error: unknown): void {
    if (this.#failingSince === undefined) {
      this.#failingSince = performance.now()
      this.#options.log.warn({ err: error }, 'event log cannot be read; retrying')
    }
    if (performance.now() - this.#failingSince < this.#bounds.maxOutageMs) return
    for (const subscription of [...this.#subscriptions]) {
      subscription.fail(UNREADABLE())
      this.#end(subscription)
    }
  }
}

const STOPPING = () => new Rejection('unavailable', 'the hub is stopping')
const UNREADABLE = () => new Rejection('unavailable', 'the event log cannot be read now')

/** A position; see FeedSubscription. */
class Subscription implements FeedSubscription {
  readonly #feed: LogFeed
  readonly #request: FeedRequest
  #position = 0
  #oldestId: number | undefined
  #failure: unknown
  #isEnded = false
  /** Set while `next` waits for new events. Called with events, or without when it has to look again. */
  #onEvents: ((events: readonly FeedEvent[]) => void) | undefined

  constructor(feed: LogFeed, request: FeedRequest) {
    this.#feed = feed
    this.#request = request
  }

  get position(): number {
    return this.#position
  }

  get oldestId(): number | undefined {
    return this.#oldestId
  }

  async begin({ events: log, end }: Pick<FeedOptions, 'events' | 'end'>): Promise<void> {
    const { fromId, field = 'from_event_id' } = this.#request
    const { newestId } = log
    if (fromId !== undefined) {
      await refuseFuture(end ?? { newestId, confirmedNewestId: newestId }, fromId, field)
    }
    const newest = await newestId()
    this.#position = fromId === undefined || fromId > newest ? newest : Math.max(fromId, 1) - 1
    if (fromId === undefined || fromId === 0) return
    const oldest = await log.oldestId()
    if (oldest !== undefined && fromId < oldest) this.#oldestId = oldest
  }

  async next(): Promise<readonly FeedEvent[]> {
    for (;;) {
      if (this.#failure) throw this.#failure
      if (this.#isEnded) return []
      const live = this.#takeFromRing()
      const events = live ?? (await this.#takeFromLog())
      if (this.#isEnded) continue
      if (events.length > 0) return this.#deliver(events)
      if (!live) continue
      const waited = await new Promise<readonly FeedEvent[]>((resolve) => {
        this.#onEvents = resolve
      })
      if (waited.length > 0) return this.#deliver(waited)
    }
  }

  /** Called when the ring has new events. */
  onEvents(): void {
    const resolve = this.#onEvents
    if (!resolve) return
    let events: readonly FeedEvent[] | undefined
    try {
      events = this.#takeFromRing()
    } catch (error) {
      this.fail(error)
    }
    // What does not match has moved the position on, and the call goes on waiting.
    if (events?.length === 0) return
    this.#onEvents = undefined
    resolve(events ?? [])
  }

  /** Makes `next` throw this from now on. */
  fail(failure: unknown): void {
    this.#failure ??= failure
  }

  end(): void {
    this.#isEnded = true
    this.#onEvents?.([])
    this.#onEvents = undefined
  }

  #deliver(events: readonly FeedEvent[]): readonly FeedEvent[] {
    this.#feed.delivered(events.length)
    return events
  }

  #takeFromRing(): readonly FeedEvent[] | undefined {
    const entries = this.#feed.readRing(this.#position)
    if (!entries) return undefined
    const events = this.#take(entries)
    this.#feed.trimRing()
    return events
  }

  async #takeFromLog(): Promise<readonly FeedEvent[]> {
    const { matches } = this.#request
    const { entries, newest } = await this.#feed.readLog(this.#position, matches !== undefined)
    if (entries.length === 0) this.#position = Math.max(this.#position, newest)
    return this.#take(entries)
  }

  /** Takes matching events up to FEED_BATCH_BYTES and moves the position after them. */
  #take(entries: Iterable<FeedEntry>): readonly FeedEvent[] {
    const { matches, format = 'protobuf' } = this.#request
    const taken: FeedEntry[] = []
    let bytes = 0
    for (const entry of entries) {
      if (matches === undefined || matches(entry)) {
        bytes += entry.in(format).length
        if (taken.length > 0 && bytes > FEED_BATCH_BYTES) return taken
        taken.push(entry)
      }
      this.#position = entry.id
    }
    return taken
  }
}
