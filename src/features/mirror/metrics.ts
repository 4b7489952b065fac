import { Counter, Gauge, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../../kernel/http/metrics.ts'
import { Progress } from './progress.ts'

export type MirrorMetrics = {
  readonly progress: Progress
  events(shard: number, type: number): void
  messages(outcome: MessageOutcome, count?: number): void
  gap(shard: number, outcome: 'seen' | 'repaired' | 'pruned'): void
  request(method: string, status: number): void
  submit(outcome: SubmitResult, count?: number): void
}

/** What became of a submit that was forwarded. */
export type SubmitResult = 'accepted' | 'refused' | 'unknown' | 'confirmed' | 'lost'

export type MessageOutcome = 'merged' | 'known' | 'older' | 'quarantined' | 'withheld' | 'waiting'

export function createMirrorMetrics(registry: Registry): MirrorMetrics {
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ name: `rookery_mirror_${name}`, help, labelNames, registers })
  const events = counter('events_total', 'Events of the source that were applied', [
    'shard',
    'type',
  ])
  const messages = counter('messages_total', 'Messages of the source by what became of them', [
    'outcome',
  ])
  const gaps = counter('gaps_total', 'Events of the source that were missing', ['shard', 'outcome'])
  const requests = counter('requests_total', 'Requests to the source', ['method', 'status'])
  const submits = counter('submits_total', 'Submits of clients that were forwarded', ['outcome'])
  const progress = new Progress()
  return {
    progress,
    events: (shard, type) => events.inc({ shard, type }),
    messages(outcome, count = 1) {
      messages.inc({ outcome }, count)
      if (outcome === 'merged') progress.noteMessages(count)
    },
    gap: (shard, outcome) => gaps.inc({ shard, outcome }),
    request: (method, status) => requests.inc({ method, status }),
    submit: (outcome, count = 1) => submits.inc({ outcome }, count),
  }
}

export type MirrorFigures = {
  /** By shard. */
  readonly lagSeconds: Readonly<Record<string, number>>
  readonly oldestCheckSeconds: number
  readonly throttledSeconds: number
  readonly isStopped: boolean
  /** By state. */
  readonly people: Readonly<Record<string, number>>
  /** By reason. */
  readonly quarantine: Readonly<Record<string, number>>
}

/** Gauges of what is stored, read when they are asked for; undefined leaves them as they are. */
export function addMirrorGauges(
  registry: Registry,
  read: () => Promise<MirrorFigures | undefined>,
): void {
  const registers = [registry]
  const gauge = (name: string, help: string, of: (figures: MirrorFigures) => number) =>
    gaugeRegistrar(registers)(name, help, async () => {
      const figures = await read()
      return figures && of(figures)
    })
  const gauges = <K extends 'lagSeconds' | 'people' | 'quarantine'>(
    name: string,
    { help, label, key }: { readonly help: string; readonly label: string; readonly key: K },
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const figures = await read()
        if (!figures) return
        this.reset()
        for (const [value, n] of Object.entries(figures[key])) this.set({ [label]: value }, n)
      },
    })
  gauges('rookery_mirror_lag_seconds', {
    help: 'Age of the last event that was applied',
    label: 'shard',
    key: 'lagSeconds',
  })
  gauges('rookery_mirror_people', {
    help: 'People who are or were mirrored; live: complete',
    label: 'state',
    key: 'people',
  })
  gauges('rookery_mirror_quarantine', {
    help: 'Messages of the source that are not stored',
    label: 'reason',
    key: 'quarantine',
  })
  gauge(
    'rookery_mirror_people_differ',
    'People who differ from the source',
    ({ people }) => people.differ ?? 0,
  )
  gauge(
    'rookery_mirror_oldest_check_seconds',
    'Time since the oldest comparison of somebody mirrored',
    ({ oldestCheckSeconds }) => oldestCheckSeconds,
  )
  gauge(
    'rookery_mirror_stopped',
    '1: stopped, or refused by the source; status says why',
    ({ isStopped }) => Number(isStopped),
  )
  new Counter({
    name: 'rookery_mirror_throttled_seconds_total',
    help: 'Time that requests waited for the rate or the source',
    registers,
    async collect() {
      const figures = await read()
      this.reset()
      this.inc(figures?.throttledSeconds ?? 0)
    },
  })
}
