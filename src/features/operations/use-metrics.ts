import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Activity, RowGauge } from '../../kernel/storage/tables/activity.ts'

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
]

/**
 * Registers the numbers of use and returns the job that reads them, with one bounded statement for all: a scrape
 * reads nothing. Every process reports them, as they were within the last minutes.
 */
export function createUseMetrics(
  registry: Registry,
  replica: Pick<Reader, 'activity'>,
  rowGauges: readonly RowGauge[],
  clock: Clock,
): Job {
  const gauges = GAUGES.map(({ name, help, labels = [], values }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    values,
  }))
  const rows = rowGauges.flatMap(({ name, help, label, rows: byLabel }) => {
    const labelNames = label === undefined ? [] : [label]
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] })
    return Object.entries(byLabel).map(([value, from]) => {
      const labels = label === undefined ? {} : { [label]: value }
      return { from, set: (count: number) => gauge.set(labels, count) }
    })
  })
  return {
    name: 'count use',
    scope: 'process',
    everyMs: EVERY_MS,
    firstAfterMs: 0,
    async run() {
      const now = networkTime(clock.now())
      const activity = await replica.activity.counts(
        now,
        rows.map(({ from }) => from),
      )
      for (const [i, { set }] of rows.entries()) set(activity.rows[i]!)
      for (const { gauge, values } of gauges) {
        for (const [labels, value] of values(activity)) gauge.set(labels, value)
      }
    },
  }
}
