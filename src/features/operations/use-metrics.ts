import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../kernel/base/clock.ts'
import { networkTime } from '../../kernel/protocol/time.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Activity, RowGauge } from '../../kernel/storage/tables/activity.ts'

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

/** A count is kept for so long: the room asks every five seconds, and shows what is true within ten. */
const KEPT_MS = 4_000
/** Counts are kept for so many times as long as counting took: a large store spends a fiftieth of its time on it at most. */
const MIN_PAUSE = 50
/** Not longer, whatever a busy database takes. */
const MAX_KEPT_MS = 5 * 60_000

/**
 * Registers the numbers of use, which are counted when they are asked for, with one bounded statement for all. What asks meanwhile
 * or soon after gets the same answer.
 */
export function registerUseMetrics(
  registry: Registry,
  replica: Pick<Reader, 'activity'>,
  rowGauges: readonly RowGauge[],
  clock: Clock,
): void {
  const registers = [registry]
  const rows = rowGauges.flatMap(({ rows }) => Object.values(rows))
  const counts = kept(() => replica.activity.counts(networkTime(clock.now()), rows), clock)
  for (const { name, help, labels = [], values } of GAUGES) {
    const own = { name, help, labelNames: [...labels], registers }
    new Gauge({
      ...own,
      async collect() {
        for (const [labels, value] of values(await counts())) this.set(labels, value)
      },
    })
  }
  let first = 0
  for (const { name, help, label, rows: byLabel } of rowGauges) {
    const from = first
    const names = Object.keys(byLabel)
    first += names.length
    new Gauge({
      ...{ name, help, labelNames: label === undefined ? [] : [label], registers },
      async collect() {
        const { rows } = await counts()
        for (const [i, value] of names.entries()) {
          this.set(label === undefined ? {} : { [label]: value }, rows[from + i]!)
        }
      },
    })
  }
}

/** Keeps an answer for a while: the longer, the longer it took. Who asks meanwhile waits for the same. */
function kept<T>(work: () => Promise<T>, clock: Clock): () => Promise<T> {
  let answer: Promise<T> | undefined
  let askedMs = 0
  let keptMs = 0
  return () => {
    const now = clock.now()
    // A clock may be set back.
    if (answer && now >= askedMs && now < askedMs + keptMs) return answer
    askedMs = now
    keptMs = MAX_KEPT_MS
    const begun = performance.now()
    answer = work()
    answer.then(
      () => {
        const took = performance.now() - begun
        keptMs = Math.min(Math.max(KEPT_MS, MIN_PAUSE * took), MAX_KEPT_MS)
      },
      () => {
        keptMs = 0
      },
    )
    return answer
  }
}
