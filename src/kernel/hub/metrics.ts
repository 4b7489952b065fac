import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../http/metrics.ts'
import type { FeedMetrics } from './events/event-feed-reader.ts'

/** Values that are read when the metrics are requested. */
type HubGauges = {
  isLeader(): boolean
  queueDepth(): number
  newestEventId(): Promise<number>
  messages(): Promise<number>
  sizeBytes(): Promise<number>
}

/** What the hub reports about itself. */
export class HubMetrics {
  /** Counted by one key and added up at a scrape: a counter of two labels is slower to find. */
  readonly #merges = new Map<string, { readonly labels: MergeLabels; count: number }>()
  readonly #batchSize: Histogram
  readonly #batchTime: Histogram
  readonly #removed: Counter
  readonly #nameFeed: Gauge
  #expiring = 0

  constructor(registry: Registry, gauges: HubGauges) {
    const registers = [registry]
    const merges = this.#merges
    new Counter({
      name: 'rookery_hub_merges_total',
      help: 'Submitted messages by message type and outcome (merged, or the code of the refusal)',
      labelNames: ['type', 'outcome'],
      registers,
      collect() {
        for (const { labels, count } of merges.values()) this.inc(labels, count)
        merges.clear()
      },
    })
    this.#batchSize = new Histogram({
      name: 'rookery_hub_batch_messages',
      help: 'Messages in one merge transaction',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
      registers,
    })
    this.#batchTime = new Histogram({
      name: 'rookery_hub_batch_seconds',
      help: 'Time of one merge transaction, its flush included',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    })
    this.#removed = new Counter({
      name: 'rookery_hub_removed_total',
      help: 'What background jobs deleted: pruned and unreadable messages, and expired events',
      labelNames: ['reason'],
      registers,
    })
    this.#nameFeed = new Gauge({
      name: 'rookery_hub_name_feed_readable',
      help: '1 while the name registry can be read, 0 during an outage',
      registers,
    })
    this.#nameFeed.set(1)
    const gauge = gaugeRegistrar(registers)
    gauge('rookery_hub_queue_messages', 'Messages waiting to be merged', gauges.queueDepth)
    gauge('rookery_hub_newest_event_id', 'Id of the newest event', gauges.newestEventId)
    gauge('rookery_hub_messages', 'Messages in the store', gauges.messages)
    gauge('rookery_storage_bytes', 'Bytes of the database on disk', gauges.sizeBytes)
    gauge(
      'rookery_storage_expiring_fids',
      'Accounts that lose messages, or all of their storage, unless more is rented within 30 days or the grace time; counted by the leader',
      () => (gauges.isLeader() ? this.#expiring : 0),
    )
  }

  merged(type: string, outcome: string): void {
    const key = `${type} ${outcome}`
    const known = this.#merges.get(key)
    if (known) known.count++
    else this.#merges.set(key, { labels: { type, outcome }, count: 1 })
  }

  batch(messages: number, seconds: number): void {
    this.#batchSize.observe(messages)
    this.#batchTime.observe(seconds)
  }

  removed(reason: string, count: number): void {
    this.#removed.inc({ reason }, count)
  }

  nameFeedReadable(readable: boolean): void {
    this.#nameFeed.set(readable ? 1 : 0)
  }

  /** Accounts that the leader found to lose messages, or all of their storage, soon. */
  storageExpiring(fids: number): void {
    this.#expiring = fids
  }
}

type MergeLabels = { readonly type: string; readonly outcome: string }

/** Reports on the event feed; `subscriptions` is called when the metrics are requested. */
export function createFeedMetrics(
  registry: Registry,
  subscriptions: () => { readonly live: number; readonly behind: number },
): FeedMetrics {
  const registers = [registry]
  new Gauge({
    name: 'rookery_feed_subscriptions',
    help: 'Subscriptions that follow the newest events (live) and that still read older ones (behind)',
    labelNames: ['position'],
    registers,
    collect() {
      const { live, behind } = subscriptions()
      this.set({ position: 'live' }, live)
      this.set({ position: 'behind' }, behind)
    },
  })
  const delivered = new Counter({
    name: 'rookery_feed_events_delivered_total',
    help: 'Events handed to subscribers',
    registers,
  })
  const reads = new Counter({
    name: 'rookery_feed_reads_behind_total',
    help: 'Reads of the event log for subscribers that are behind',
    registers,
  })
  return { delivered: (events) => delivered.inc(events), readBehind: () => reads.inc() }
}
