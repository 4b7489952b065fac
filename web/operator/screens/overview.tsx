import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SampledMetric } from '../../../src/features/operations/sampled-metrics.ts'
import { Icon } from '../../shared/icons.tsx'
import { ask, type Curves, getHealth, getMetrics } from '../api.ts'
import { type Metrics, parseMetrics, total } from '../metrics.ts'
import { Curve } from '../parts/curve.tsx'
import { FirstSteps } from '../parts/first-steps.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import { bytesText, countText, durationText, percentText } from '../text.ts'

const EVERY_MS = 10_000
const CURVES_EVERY_MS = 5 * 60_000

type Tile = {
  readonly label: string
  readonly metric: SampledMetric
  readonly as?: (value: number) => string
}

/** Every number is a metric, whose name is shown to who asks for it: alerts and dashboards use the same. */
const GROUPS: readonly { readonly heading: string; readonly tiles: readonly Tile[] }[] = [
  {
    heading: 'Growth',
    tiles: [
      { label: 'Accounts', metric: 'rookery_accounts' },
      { label: 'Active today', metric: 'rookery_active_fids{window="day"}' },
      { label: 'Active this week', metric: 'rookery_active_fids{window="week"}' },
      { label: 'Sign-ups since the start', metric: 'rookery_signups_total{outcome="succeeded"}' },
      { label: 'Posts', metric: 'rookery_casts' },
      { label: 'Channels', metric: 'rookery_channels' },
    ],
  },
  {
    heading: 'Queue and streams',
    tiles: [
      { label: 'Messages waiting', metric: 'rookery_hub_queue_messages' },
      { label: 'Streams that follow', metric: 'rookery_feed_subscriptions{position="live"}' },
      { label: 'Streams behind', metric: 'rookery_feed_subscriptions{position="behind"}' },
      { label: 'Lists are behind by', metric: 'rookery_views_lag_seconds', as: durationText },
      { label: 'Messages that lists leave out', metric: 'rookery_views_set_aside' },
      { label: 'Webhook deliveries waiting', metric: 'rookery_webhook_waiting' },
      { label: 'Open reports', metric: 'rookery_moderation_reports{state="open"}' },
      { label: 'Recovery requests', metric: 'rookery_recovery_requests' },
    ],
  },
  {
    heading: 'Storage',
    tiles: [
      { label: 'Database', metric: 'rookery_storage_bytes', as: bytesText },
      { label: 'Disk quota used', metric: 'rookery_disk_quota_ratio', as: percentText },
      { label: 'Messages', metric: 'rookery_hub_messages' },
      { label: 'Newest backup', metric: 'rookery_backup_age_seconds', as: durationText },
      { label: 'Backups', metric: 'rookery_backup_bytes', as: bytesText },
      { label: 'Memory', metric: 'process_resident_memory_bytes', as: bytesText },
      { label: 'Leader', metric: 'rookery_job_leader', as: (value) => (value ? 'yes' : 'no') },
    ],
  },
]

export function Overview() {
  const health = useQuery({ queryKey: ['health'], queryFn: getHealth, refetchInterval: EVERY_MS })
  const metrics = useQuery({
    queryKey: ['metrics'],
    queryFn: async () => parseMetrics(await getMetrics()),
    refetchInterval: EVERY_MS,
  })
  const curves = useQuery({
    queryKey: ['samples'],
    queryFn: () => ask<Curves>('/samples'),
    refetchInterval: CURVES_EVERY_MS,
  })
  const [isNamed, setNamed] = useState(false)
  const hasCurves = (curves.data?.at.length ?? 2) > 1
  return (
    <>
      {metrics.data && <FirstSteps metrics={metrics.data} />}
      <Section heading="Health">
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
      </Section>
      <p className="buttons">
        <label className="choice">
          <input
            type="checkbox"
            checked={isNamed}
            onChange={({ target }) => setNamed(target.checked)}
          />{' '}
          Names of the metrics
        </label>
        {!hasCurves && <span className="muted">The first curves are here in twenty minutes.</span>}
      </p>
      <Loaded query={metrics} what="metrics">
        {(values) =>
          GROUPS.map(({ heading, tiles }) => (
            <Section key={heading} heading={heading}>
              <dl className="tiles">
                {tiles.map((tile) => (
                  <TileView
                    key={tile.metric}
                    {...{ tile, isNamed }}
                    metrics={values}
                    curves={curves.data}
                  />
                ))}
              </dl>
            </Section>
          ))
        }
      </Loaded>
    </>
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

function TileView({
  tile: { label, metric, as = countText },
  isNamed,
  metrics,
  curves,
}: {
  tile: Tile
  isNamed: boolean
  metrics: Metrics
  curves: Curves | undefined
}) {
  const value = metrics.get(metric) ?? total(metrics, metric)
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd className="figure">{value === undefined ? '–' : as(value)}</dd>
      <dd>
        <Curve label={label} at={curves?.at ?? []} values={curves?.series[metric] ?? []} as={as} />
      </dd>
      {isNamed && (
        <dd className="muted metric">
          <code title={metric}>{metric}</code>
        </dd>
      )}
    </div>
  )
}
