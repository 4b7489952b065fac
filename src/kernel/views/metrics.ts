import { Counter, Histogram, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../http/metrics.ts'
import type { Follower } from './follower.ts'
import { setAsideShare } from './set-aside-share.ts'

export type ViewMetrics = {
  /** One transaction. */
  step(events: number, seconds: number): void
}

export function createViewMetrics(
  registry: Registry,
  views: Follower,
  countMessages: () => Promise<number>,
): ViewMetrics {
  const registers = [registry]
  const gauge = gaugeRegistrar(registers)
  const events = new Counter({
    name: 'rookery_views_events_total',
    help: 'Events applied to the views',
    registers,
  })
  const seconds = new Histogram({
    name: 'rookery_views_batch_seconds',
    help: 'Time of one transaction of the views',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  gauge(
    'rookery_views_cursor',
    'Id of the last event that the views have applied',
    () => views.cursor,
  )
  gauge(
    'rookery_views_lag_seconds',
    'Age of the oldest event that the views have not applied',
    () => views.lagMs / 1000,
  )
  gauge(
    'rookery_views_set_aside',
    'Parts of events that could not be applied to the views and are set aside',
    () => views.setAside,
  )
  gauge(
    'rookery_views_set_aside_ratio',
    'Parts of events that are set aside, for each stored message; at most 1',
    async () => setAsideShare(views.setAside, await countMessages()),
  )
  gauge('rookery_views_build_ratio', 'Share of a build of the views that is done', () => {
    const state = views.state()
    return state.status === 'building' ? state.ratio : 1
  })

  return {
    step(count, duration) {
      if (count === 0) return
      events.inc(count)
      seconds.observe(duration)
    },
  }
}
