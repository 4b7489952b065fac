import { Counter, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../http/metrics.ts'
import { Progress } from './progress.ts'

export type MirrorMetrics = {
  readonly progress: Progress
  events(shard: number, type: number): void
  messages(outcome: MessageOutcome, count?: number): void
  gap(shard: number, outcome: 'seen' | 'repaired' | 'pruned'): void
  request(method: string, status: number): void
  submit(outcome: SubmitResult): void
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
    submit: (outcome) => submits.inc({ outcome }),
  }
}

export type MirrorFigures = {
  readonly lagSeconds: number
  readonly oldestCheckSeconds: number
  readonly throttledSeconds: number
  readonly isStopped: boolean
  readonly people: Readonly<Record<string, number>>
  readonly quarantine: Readonly<Record<string, number>>
}

/** Gauges of what is stored, read when they are asked for. */
export function addMirrorGauges(registry: Registry, read: () => MirrorFigures): void {
  const gauge = gaugeRegistrar([registry])
  gauge(
    'rookery_mirror_lag_seconds',
    'Age of the last event that was applied, of the slowest shard',
    () => read().lagSeconds,
  )
  gauge(
    'rookery_mirror_oldest_check_seconds',
    'Time since the oldest comparison of somebody mirrored',
    () => read().oldestCheckSeconds,
  )
  gauge(
    'rookery_mirror_throttled_seconds_total',
    'Time that requests waited for the rate or the source',
    () => read().throttledSeconds,
  )
  gauge('rookery_mirror_stopped', '1: stopped for good; status says why', () =>
    Number(read().isStopped),
  )
  gauge(
    'rookery_mirror_people_differ',
    'People who differ from the source',
    () => read().people.differs ?? 0,
  )
  gauge(
    'rookery_mirror_people_waiting',
    'People who were never read',
    () => read().people.waiting ?? 0,
  )
  gauge('rookery_mirror_people_live', 'People who are complete', () => read().people.live ?? 0)
  gauge('rookery_mirror_quarantined', 'Messages of the source that are not stored', () =>
    Object.values(read().quarantine).reduce((sum, n) => sum + n, 0),
  )
}
