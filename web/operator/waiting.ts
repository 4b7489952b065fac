import type { SampledMetric } from '../../src/features/operations/sampled-metrics.ts'
import { t } from '../shared/messages.ts'
import { getMetrics, isFrontDoor } from './api.ts'
import { type Metrics, parseMetrics, total } from './metrics.ts'

export const metricsQuery = {
  queryKey: ['metrics'],
  queryFn: async () => parseMetrics(await getMetrics()),
}

export const numberOf = (metrics: Metrics, metric: string): number | undefined =>
  metrics.get(metric) ?? total(metrics, metric)

/** Whether the server keeps its accounts itself, as a mirror does not. */
export const hasLedger = (metrics: Metrics): boolean => metrics.has('rookery_join_requests')

/** What waits for the operator, with the screen on which it is decided. */
export type Waiting = {
  readonly label: string
  readonly metric: SampledMetric
  readonly screen: string
  /** Where it is decided in place of the screen. */
  readonly href?: string
  /** Seconds that the oldest of them has waited. */
  readonly oldest?: string
}

export const WAITING: readonly Waiting[] = [
  {
    label: t('Open reports'),
    metric: 'rookery_moderation_reports{state="open"}',
    screen: 'moderation',
    ...(isFrontDoor && { href: '/moderate' }),
  },
  {
    label: t('Requests to join'),
    metric: 'rookery_join_requests',
    screen: 'joining',
    oldest: 'rookery_join_request_age_seconds',
  },
  { label: t('Lost accounts'), metric: 'rookery_recovery_requests', screen: 'recovery' },
]

/** How many wait on a screen; 0 also where nothing is counted. */
export function waitingOn(metrics: Metrics | undefined, screen: string): number {
  const found = WAITING.find((one) => one.screen === screen)
  return (metrics && found && numberOf(metrics, found.metric)) || 0
}
