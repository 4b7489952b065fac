import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Activity } from '../../kernel/storage/tables/activity.ts'

const EVERY_MS = 5 * 60_000

/** What is reported about the use of the network, by metric and labels. */
const GAUGES: readonly {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly values: (activity: Activity) => readonly (readonly [Record<string, string>, number])[]
}[] = [
  {
    name: 'rookery_accounts',
    help: 'Accounts (fids with a custody address)',
    values: ({ accounts }) => [[{}, accounts]],
  },
  {
    name: 'rookery_active_fids',
    help: 'Fids whose newest message is dated within the last day or week',
    labels: ['window'],
    values: ({ activeDay, activeWeek }) => [
      [{ window: 'day' }, activeDay],
      [{ window: 'week' }, activeWeek],
    ],
  },
  { name: 'rookery_casts', help: 'Stored casts', values: ({ casts }) => [[{}, casts]] },
  { name: 'rookery_channels', help: 'Channels', values: ({ channels }) => [[{}, channels]] },
  {
    name: 'rookery_key_requests',
    help: 'Requests for keys of apps by state, as long as they are kept',
    labels: ['state'],
    values: ({ keyRequests }) =>
      Object.entries(keyRequests).map(([state, count]) => [{ state }, count]),
  },
  {
    name: 'rookery_webhooks',
    help: 'Webhooks of apps by state; inactive ones were switched off, by their app or after failures',
    labels: ['state'],
    values: ({ webhooks }) => Object.entries(webhooks).map(([state, count]) => [{ state }, count]),
  },
]

/**
 * Registers the numbers of use and returns the job that reads them, with one bounded statement for all: a scrape
 * reads nothing. Every process reports them, as they were within the last minutes.
 */
export function createUseMetrics(
  registry: Registry,
  replica: Pick<Reader, 'activity'>,
  clock: Clock,
): Job {
  const gauges = GAUGES.map(({ name, help, labels = [], values }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    values,
  }))
  return {
    name: 'count use',
    scope: 'process',
    everyMs: EVERY_MS,
    firstAfterMs: 0,
    async run() {
      const activity = await replica.activity.counts(networkTime(clock.now()))
      for (const { gauge, values } of gauges) {
        for (const [labels, value] of values(activity)) gauge.set(labels, value)
      }
    },
  }
}
