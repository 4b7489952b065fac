import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { FeedMetrics } from './events/event-feed-reader.ts'

/** What the hub reports about itself. */
export type HubMetrics = {
  merged(messageType: string, outcome: string): void
  batch(messages: number, seconds: number): void
  removed(reason: string, count: number): void
  nameFeedReadable(readable: boolean): void
  /** Accounts that the leader found to lose messages, or all of their storage, soon. */
  storageExpiring(fids: number): void
}

type MergeLabels = { readonly type: string; readonly outcome: string }

/** Live values, read when the metrics are requested. */
type HubGauges = {
  isLeader(): boolean
  queueDepth(): number
  newestEventId(): Promise<number>
  messages(): Promise<number>
  sizeBytes(): Promise<number>
}

export function createHubMetrics(registry: Registry, gauges: HubGauges): HubMetrics {
  const registers = [registry]
  // Counting under two labels costs more than finding them again by one text, so they are added up until a scrape.
  const uncounted = new Map<string, { readonly labels: MergeLabels; count: number }>()
  new Counter({
    name: 'rookery_hub_merges_total',
    help: 'Submitted messages by message type and outcome (merged, or the code of the refusal)',
    labelNames: ['type', 'outcome'],
    registers,
    collect() {
      for (const { labels, count } of uncounted.values()) this.inc(labels, count)
      uncounted.clear()
    },
  })
  const batchSize = new Histogram({
    name: 'rookery_hub_batch_messages',
    help: 'Messages in one merge transaction',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  })
  const batchTime = new Histogram({
    name: 'rookery_hub_batch_seconds',
    help: 'Time of one merge transaction, its flush included',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  })
  const removals = new Counter({
    name: 'rookery_hub_removed_total',
    help: 'What background jobs deleted: pruned and unreadable messages, and expired events',
    labelNames: ['reason'],
    registers,
  })
  const nameFeed = new Gauge({
    name: 'rookery_hub_name_feed_readable',
    help: '1 while the name registry can be read, 0 during an outage',
    registers,
  })
  nameFeed.set(1)
  gauge('rookery_hub_queue_messages', 'Messages waiting to be merged', () => gauges.queueDepth())
  gauge('rookery_hub_newest_event_id', 'Id of the newest event', () => gauges.newestEventId())
  gauge('rookery_hub_messages', 'Messages in the store', () => gauges.messages())
  gauge('rookery_storage_bytes', 'Bytes of the database on disk', () => gauges.sizeBytes())

  let expiring = 0
  gauge(
    'rookery_storage_expiring_fids',
    'Accounts that lose messages, or all of their storage, unless more is rented within 30 days or the grace time; counted by the leader',
    () => (gauges.isLeader() ? expiring : 0),
  )

  function gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read())
      },
    })
  }

  return {
    merged(type, outcome) {
      const key = `${type} ${outcome}`
      const known = uncounted.get(key)
      if (known) known.count++
      else uncounted.set(key, { labels: { type, outcome }, count: 1 })
    },
    batch(messages, seconds) {
      batchSize.observe(messages)
      batchTime.observe(seconds)
    },
    removed: (reason, count) => removals.inc({ reason }, count),
    nameFeedReadable: (readable) => nameFeed.set(readable ? 1 : 0),
    storageExpiring(fids) {
      expiring = fids
    },
  }
}

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
