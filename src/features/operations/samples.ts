import type { Registry } from 'prom-client'
import Type from 'typebox'
import { type Clock, unixSeconds } from '../../kernel/base/clock.ts'
import { type Route, route } from '../../kernel/http/route.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { GAUGES_SCANNED, SAMPLED_METRICS } from './sampled-metrics.ts'
import type { MetricSample } from './tables/metric-samples.ts'
import { metricSampleRows } from './tables/metric-samples.ts'

// A week of the numbers that the room of the operator shows. One process of all that share the database writes
// them: numbers of a process are those of the leader.

const EVERY_SECONDS = 600
const WEEK_SECONDS = 7 * DAY_SECONDS
const MAX_SAMPLES = WEEK_SECONDS / EVERY_SECONDS + 1
/** As many points as a small curve shows: an hour each for a week, and now. */
const MAX_POINTS = 171

/** The job that keeps a sample for every ten minutes of the last week. */
export const createSampler = (storage: Storage, registry: Registry, clock: Clock): Job => ({
  name: 'sample metrics',
  scope: 'leader',
  everyMs: EVERY_SECONDS * SECOND_MS,
  firstAfterMs: 30 * SECOND_MS,
  async run({ lease }) {
    const now = unixSeconds(clock)
    // A process that restarts often does not write more.
    const at = now - (now % EVERY_SECONDS)
    const numbers = JSON.stringify(await readNumbers(registry))
    await storage.write('all/samples', async (tx) => {
      if (lease) await checkLease(tx, lease)
      await tx.of(metricSampleRows).put({ at, numbers })
      await tx.of(metricSampleRows).keepBetween(now - WEEK_SECONDS, now)
    })
  },
})

/** Sums of the series that a name with some labels stands for. Metrics that are not registered are left out. */
async function readNumbers(registry: Registry): Promise<Record<string, number>> {
  const numbers: Record<string, number> = {}
  for (const metric of SAMPLED_METRICS) {
    const [, name, label, value] = /^(\w+)(?:\{(\w+)="(\w+)"\})?$/.exec(metric)!
    const found = await registry.getSingleMetric(name!)?.get()
    const values = found?.values.filter(
      ({ labels }) => label === undefined || labels[label] === value,
    )
    if (values?.length) numbers[metric] = values.reduce((sum, one) => sum + one.value, 0)
  }
  return numbers
}

const Samples = Type.Object({
  at: Type.Array(Type.Integer(), {
    maxItems: MAX_POINTS,
    description: 'Unix seconds of the points, the oldest first.',
  }),
  series: Type.Record(Type.String(), Type.Array(Type.Union([Type.Number(), Type.Null()])), {
    description: 'By metric with its labels, a number for each point; null where there was none.',
  }),
})

export const sampleRoutes = (
  storage: Pick<Storage, 'of'>,
  registry: Registry,
  clock: Clock,
): Route[] => [
  route('GET /samples', {
    callers: 'operator',
    summary: 'The numbers of the last week',
    description:
      'Every ten minutes during the first day, later one for each hour; the last point is of now. The process that leads keeps them.',
    tags: [{ name: 'Metrics', description: 'What the process has counted and timed.' }],
    reply: Samples,
    errors: [],
    cost: { cpu: 'moderate', scanned: MAX_SAMPLES + GAUGES_SCANNED },
    handler: async () => {
      const now = unixSeconds(clock)
      const [kept, numbers] = await Promise.all([
        storage.of(metricSampleRows).between(now - WEEK_SECONDS, now - 1, MAX_SAMPLES + 1),
        readNumbers(registry),
      ])
      return curvesOf([...thinned(kept).map(parsed), { at: now, numbers }])
    },
  }),
]

type Point = { readonly at: number; readonly numbers: Readonly<Record<string, number>> }

const parsed = ({ at, numbers }: MetricSample): Point => ({ at, numbers: JSON.parse(numbers) })

function curvesOf(points: readonly Point[]) {
  const names = SAMPLED_METRICS.filter((name) => points.some(({ numbers }) => name in numbers))
  const series = names.map((name) => [name, points.map(({ numbers }) => numbers[name] ?? null)])
  return { at: points.map(({ at }) => at), series: Object.fromEntries(series) }
}

/** The last sample of each hour, when there are too many for a curve. */
function thinned(samples: readonly MetricSample[]): readonly MetricSample[] {
  if (samples.length < MAX_POINTS) return samples
  const byHour = new Map(samples.map((one) => [Math.floor(one.at / HOUR_SECONDS), one]))
  return [...byHour.values()]
}
