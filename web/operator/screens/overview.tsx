import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SampledMetric } from '../../../src/features/operations/sampled-metrics.ts'
import { Icon } from '../../shared/icons.tsx'
import { words } from '../../shared/words.ts'
import { ask, type Curves, getHealth, getMetrics } from '../api.ts'
import { type Metrics, parseMetrics, total } from '../metrics.ts'
import { Curve, changeText } from '../parts/curve.tsx'
import { FirstSteps } from '../parts/first-steps.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import { bytesText, countText, durationText, percentText } from '../text.ts'

const EVERY_MS = 5_000
const CURVES_EVERY_MS = 5 * 60_000

type Tile = {
  readonly label: string
  readonly metric: SampledMetric
  readonly as?: (value: number) => string
}

/** What waits for the operator, with the screen on which it is decided. */
type Waiting = Tile & {
  readonly screen: string
  /** Seconds that the oldest of them has waited. */
  readonly oldest?: string
}

const WAITING: readonly Waiting[] = [
  {
    label: 'Open reports',
    metric: 'rookery_moderation_reports{state="open"}',
    screen: 'moderation',
  },
  {
    label: 'Requests to join',
    metric: 'rookery_join_requests',
    screen: 'joining',
    oldest: 'rookery_join_request_age_seconds',
  },
  { label: 'Lost accounts', metric: 'rookery_recovery_requests', screen: 'recovery' },
]

/** Every number is a metric, whose name is shown to who asks for it: alerts and dashboards use the same. */
const GROWTH: readonly Tile[] = [
  { label: 'Accounts', metric: 'rookery_accounts' },
  { label: words.Posts, metric: 'rookery_casts' },
  { label: 'Active this week', metric: 'rookery_active_fids{window="week"}' },
  { label: 'Active today', metric: 'rookery_active_fids{window="day"}' },
  { label: 'Channels', metric: 'rookery_channels' },
  { label: 'Sign-ups since the start', metric: 'rookery_signups_total{outcome="succeeded"}' },
]
const STORAGE: readonly Tile[] = [
  { label: 'Data', metric: 'rookery_storage_bytes', as: bytesText },
  { label: 'Disk quota used', metric: 'rookery_disk_quota_ratio', as: percentText },
  { label: 'Age of the newest backup', metric: 'rookery_backup_age_seconds', as: durationText },
  { label: 'Memory', metric: 'process_resident_memory_bytes', as: bytesText },
]
const DETAILS: readonly Tile[] = [
  { label: 'Messages', metric: 'rookery_hub_messages' },
  { label: 'Messages waiting', metric: 'rookery_hub_queue_messages' },
  { label: 'Streams that follow', metric: 'rookery_feed_subscriptions{position="live"}' },
  { label: 'Streams behind', metric: 'rookery_feed_subscriptions{position="behind"}' },
  { label: 'Lists are behind by', metric: 'rookery_views_lag_seconds', as: durationText },
  { label: 'Messages that lists leave out', metric: 'rookery_views_set_aside' },
  { label: 'Webhook deliveries waiting', metric: 'rookery_webhook_waiting' },
  { label: 'All backups', metric: 'rookery_backup_bytes', as: bytesText },
  { label: 'Leader', metric: 'rookery_job_leader', as: (value) => (value ? 'yes' : 'no') },
]

export function Overview({ screens }: { screens: readonly string[] }) {
  const metrics = useQuery({
    queryKey: ['metrics'],
    queryFn: async () => parseMetrics(await getMetrics()),
    refetchInterval: EVERY_MS,
  })
  const curves = useQuery({
    queryKey: ['samples'],
    queryFn: () => ask<Curves>('/samples'),
    refetchInterval: CURVES_EVERY_MS,
  }).data
  const [isNamed, setNamed] = useState(false)
  return (
    <>
      {metrics.data && <FirstSteps metrics={metrics.data} screens={screens} />}
      <Loaded query={metrics} what="the numbers">
        {(metrics) => {
          const shown = { metrics, curves, isNamed }
          return (
            <>
              <Section heading="Waiting for you">
                <dl className="tiles">
                  {WAITING.filter(({ metric }) => numberOf(metrics, metric) !== undefined).map(
                    (one) => (
                      <WaitingTile
                        key={one.metric}
                        tile={one}
                        isOpen={screens.includes(one.screen)}
                        {...shown}
                      />
                    ),
                  )}
                </dl>
              </Section>
              <Section heading="Growth">
                <Tiles tiles={GROWTH} isLarge {...shown} />
              </Section>
              <Section heading="Server">
                <Health />
                <Tiles tiles={STORAGE} {...shown} />
                <details className="folded">
                  <summary>More numbers</summary>
                  <Tiles tiles={DETAILS} {...shown} />
                </details>
              </Section>
            </>
          )
        }}
      </Loaded>
      <label className="choice">
        <input
          type="checkbox"
          checked={isNamed}
          onChange={({ target }) => setNamed(target.checked)}
        />{' '}
        Names of the metrics
      </label>
    </>
  )
}

function Health() {
  const health = useQuery({ queryKey: ['health'], queryFn: getHealth, refetchInterval: EVERY_MS })
  return (
    <Loaded query={health} what="health">
      {({ status, checks = {} }) => (
        <ul className="checks">
          <Check name="Ready for requests" state={status} />
          {Object.entries(checks).map(([name, state]) => (
            <Check key={name} name={name} state={state} />
          ))}
        </ul>
      )}
    </Loaded>
  )
}

function Check({ name, state }: { name: string; state: string }) {
  const isOk = state === 'ok'
  return (
    <li className={isOk ? 'check good' : 'check bad'}>
      <Icon name={isOk ? 'check' : 'warning'} />
      <span>
        {name}: {isOk ? 'yes' : state}
      </span>
    </li>
  )
}

type Shown = {
  readonly metrics: Metrics
  readonly curves: Curves | undefined
  /** Whether metrics are named. */
  readonly isNamed: boolean
}

const numberOf = (metrics: Metrics, metric: string): number | undefined =>
  metrics.get(metric) ?? total(metrics, metric)

const Tiles = ({
  tiles,
  isLarge = false,
  ...shown
}: Shown & { tiles: readonly Tile[]; isLarge?: boolean }) => (
  <dl className={isLarge ? 'tiles large' : 'tiles'}>
    {tiles
      .filter(({ metric }) => numberOf(shown.metrics, metric) !== undefined)
      .map((tile) => (
        <NumberTile key={tile.metric} tile={tile} {...shown} />
      ))}
  </dl>
)

/** A number, how it has changed, and its curve. */
function NumberTile({ tile, metrics, curves, isNamed }: Shown & { tile: Tile }) {
  const { label, metric, as = countText } = tile
  const value = numberOf(metrics, metric)!
  const line = { label, at: curves?.at ?? [], values: curves?.series[metric] ?? [], as }
  const change = changeText(line)
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd className="figure">{as(value)}</dd>
      {change && <dd className="muted curve-note">{change}</dd>}
      <Curve {...line} />
      {isNamed && <MetricName metric={metric} />}
    </div>
  )
}

/** How many wait, and for how long; nothing more where nobody does. */
function WaitingTile({
  tile: { label, metric, oldest, screen },
  isOpen,
  metrics,
  isNamed,
}: Shown & { tile: Waiting; isOpen: boolean }) {
  const value = numberOf(metrics, metric)!
  const age = oldest === undefined ? undefined : metrics.get(oldest)
  return (
    <div className={value > 0 ? 'tile waits' : 'tile'}>
      <dt>{isOpen ? <a href={`#${screen}`}>{label}</a> : label}</dt>
      <dd className="figure">{value === 0 ? 'None' : countText(value)}</dd>
      {value > 0 && age !== undefined && (
        <dd className="muted curve-note">the oldest since {durationText(age)}</dd>
      )}
      {isNamed && <MetricName metric={metric} />}
    </div>
  )
}

const MetricName = ({ metric }: { metric: string }) => (
  <dd className="muted metric">
    <code title={metric}>{metric}</code>
  </dd>
)
