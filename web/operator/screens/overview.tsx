import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SampledMetric } from '../../../src/features/operations/sampled-metrics.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { ask, type Curves, getHealth } from '../api.ts'
import { CHECK_STATES, CHECK_WORDS } from '../job-words.ts'
import type { Metrics } from '../metrics.ts'
import { Curve, changeText } from '../parts/curve.tsx'
import { FirstSteps } from '../parts/first-steps.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import { bytesText, countText, durationText, percentText } from '../text.ts'
import { metricsQuery, numberOf, WAITING, type Waiting } from '../waiting.ts'

const EVERY_MS = 5_000
const CURVES_EVERY_MS = 5 * 60_000

type Tile = {
  readonly label: string
  readonly metric: SampledMetric | 'rookery_backup_age_seconds'
  readonly as?: (value: number) => string
  /** Its curve says nothing: an age grows by itself. */
  readonly isPlain?: true
}

/** Every number is a metric, whose name is shown to who asks for it: alerts and dashboards use the same. */
const GROWTH: readonly Tile[] = [
  { label: t('Accounts'), metric: 'rookery_accounts' },
  { label: t('{Posts}'), metric: 'rookery_casts' },
  { label: t('Active this week'), metric: 'rookery_active_fids{window="week"}' },
  { label: t('Active today'), metric: 'rookery_active_fids{window="day"}' },
  { label: t('Channels'), metric: 'rookery_channels' },
]
const STORAGE: readonly Tile[] = [
  { label: t('Data'), metric: 'rookery_storage_bytes', as: bytesText },
  { label: t('Disk quota used'), metric: 'rookery_disk_quota_ratio', as: percentText },
  { label: t('Memory'), metric: 'process_resident_memory_bytes', as: bytesText },
]
const FIRST_BACKUP_SECONDS = 5 * 60

/** While there is no backup its age is the time since the start. */
function storageOf(metrics: Metrics): readonly Tile[] {
  const hasBackup = (metrics.get('rookery_backups_kept') ?? 0) > 0
  const as = hasBackup
    ? (seconds: number) => t('{duration} old', { duration: durationText(seconds) })
    : (seconds: number) =>
        seconds < FIRST_BACKUP_SECONDS
          ? t('None yet, the first in {duration}', {
              duration: durationText(FIRST_BACKUP_SECONDS - seconds),
            })
          : t('None yet')
  return [
    ...STORAGE,
    { label: t('Newest backup'), metric: 'rookery_backup_age_seconds', as, isPlain: true },
  ]
}

const DETAILS: readonly Tile[] = [
  { label: t('Messages'), metric: 'rookery_hub_messages' },
  { label: t('Messages waiting'), metric: 'rookery_hub_queue_messages' },
  { label: t('Streams that follow'), metric: 'rookery_feed_subscriptions{position="live"}' },
  { label: t('Streams behind'), metric: 'rookery_feed_subscriptions{position="behind"}' },
  { label: t('Lists are behind by'), metric: 'rookery_views_lag_seconds', as: durationText },
  { label: t('Messages that lists leave out'), metric: 'rookery_views_set_aside' },
  { label: t('Webhook deliveries waiting'), metric: 'rookery_webhook_waiting' },
  { label: t('All backups'), metric: 'rookery_backup_bytes', as: bytesText },
  { label: t('Leader'), metric: 'rookery_job_leader', as: (value) => (value ? t('yes') : t('no')) },
]

export function Overview({ screens }: { screens: readonly string[] }) {
  const metrics = useQuery({ ...metricsQuery, refetchInterval: EVERY_MS })
  const curves = useQuery({
    queryKey: ['samples'],
    queryFn: () => ask<Curves>('/samples'),
    refetchInterval: CURVES_EVERY_MS,
  }).data
  const [isNamed, setNamed] = useState(false)
  return (
    <>
      {metrics.data && <FullDisk metrics={metrics.data} />}
      {metrics.data && <FirstSteps metrics={metrics.data} screens={screens} />}
      <Loaded query={metrics}>
        {(metrics) => {
          const shown = { metrics, curves, isNamed }
          return (
            <>
              <Section heading={t('Waiting for you')}>
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
              <Section heading={t('Growth')}>
                <Tiles tiles={GROWTH} isLarge {...shown} />
              </Section>
              <Section heading={t('Server')}>
                <Health metrics={metrics} />
                <Tiles tiles={storageOf(metrics)} {...shown} />
                <BackupNote metrics={metrics} />
                <VersionNote metrics={metrics} />
                <details className="folded">
                  <summary>{t('More numbers')}</summary>
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
        {t('Names of the metrics')}
      </label>
    </>
  )
}

/** From these shares of the disk quota on the server warns, refuses uploads, and refuses messages. */
const DISK = { warns: 0.8, noUploads: 0.9, full: 1 } as const

/** How full its disk is, as the server sees it. */
const diskShare = (metrics: Metrics): number => metrics.get('rookery_disk_quota_ratio') ?? 0

/** It is ready, but its disk is full. */
function readyBut(metrics: Metrics): string | undefined {
  const share = diskShare(metrics)
  if (share >= DISK.full) return t('yes, but uploads and new {posts} are refused')
  return share >= DISK.noUploads ? t('yes, but uploads are refused') : undefined
}

/** Before all else: what is refused, and what mends it. */
function FullDisk({ metrics }: { metrics: Metrics }) {
  const share = diskShare(metrics)
  const [used = 0, quota = 0] = ['used', 'quota'].map((one) =>
    metrics.get(`rookery_disk_${one}_bytes`),
  )
  if (share < DISK.warns || quota === 0) return null
  return (
    <div className="fault disk-warning" role="alert">
      <p>
        <Icon name="warning" />{' '}
        <strong>
          {share >= DISK.full
            ? t('The disk is full: {bytes} of {bytes2}.', {
                bytes: bytesText(used),
                bytes2: bytesText(quota),
              })
            : t('The disk is nearly full: {bytes} of {bytes2}.', {
                bytes: bytesText(used),
                bytes2: bytesText(quota),
              })}
        </strong>{' '}
        {share >= DISK.full
          ? t(
              'Now uploads and new {posts} are refused: only what removes or replaces something is taken.',
            )
          : share >= DISK.noUploads
            ? t('Now uploads are refused.')
            : t('Uploads are refused from {bytes} on, and new {posts} when it is full.', {
                bytes: bytesText(DISK.noUploads * quota),
              })}
      </p>
      <p>
        {rich(
          'To mend it, on the machine: give it a larger disk, or a greater <code>ROOKERY_DISK_QUOTA_GIB</code> where the disk has room, and start again. Or have less: lower what each member may upload in the <link>settings</link>, and let people delete what they do not need.',
          {
            code: (inner) => <code>{inner}</code>,
            link: (inner) => <a href="#settings">{inner}</a>,
          },
        )}
      </p>
    </div>
  )
}

/** How a backup is used, which is asked when there is no time to search. */
const BackupNote = ({ metrics }: { metrics: Metrics }) =>
  metrics.has('rookery_backup_interval_seconds') && (
    <p className="muted">
      {rich(
        'To restore a backup, on the machine: <code>rookery restore DIRECTORY</code> puts it into an empty data directory (<code>ROOKERY_DATA_DIR</code>) and checks it; docs/operating.md has the steps.',
        { code: (inner) => <code>{inner}</code> },
      )}
    </p>
  )

const VERSION = /^rookery_build_info\{version="([^"]+)"\}$/

/** Which program this is, and where to read what is new. */
function VersionNote({ metrics }: { metrics: Metrics }) {
  const version = [...metrics.keys()].flatMap((name) => VERSION.exec(name)?.[1] ?? [])[0]
  return (
    version !== undefined && (
      <p className="muted">
        {rich(
          'This is Rookery {version}. <code>CHANGELOG.md</code> says what is new, and <code>docs/deploying.md</code> how to upgrade.',
          { version: <bdi>{version}</bdi>, code: (inner) => <code>{inner}</code> },
        )}
      </p>
    )
  )
}

function Health({ metrics }: { metrics: Metrics }) {
  const refused = readyBut(metrics)
  const health = useQuery({ queryKey: ['health'], queryFn: getHealth, refetchInterval: EVERY_MS })
  return (
    <Loaded query={health}>
      {({ status, checks = {} }) => (
        <ul className="checks">
          <Check
            name={t('Ready for requests')}
            state={status === 'ok' && refused ? refused : status}
          />
          {Object.entries(checks).map(([name, state]) => (
            <Check key={name} name={CHECK_WORDS[name] ?? name} state={state} />
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
      <span>{t('{name}: {state}', { name, state: CHECK_STATES[state] ?? state })}</span>
    </li>
  )
}

type Shown = {
  readonly metrics: Metrics
  readonly curves: Curves | undefined
  /** Whether metrics are named. */
  readonly isNamed: boolean
}

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
  const { label, metric, as = countText, isPlain } = tile
  const value = numberOf(metrics, metric)!
  const line = { label, at: curves?.at ?? [], values: curves?.series[metric] ?? [], as }
  const change = isPlain ? undefined : changeText(line)
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd className="figure">{as(value)}</dd>
      {change && <dd className="muted curve-note">{change}</dd>}
      {!isPlain && <Curve {...line} />}
      {isNamed && <MetricName metric={metric} />}
    </div>
  )
}

/** How many wait, and for how long; nothing more where nobody does. */
function WaitingTile({
  tile: { label, metric, oldest, screen, href = `#${screen}` },
  isOpen,
  metrics,
  isNamed,
}: Shown & { tile: Waiting; isOpen: boolean }) {
  const value = numberOf(metrics, metric)!
  const age = oldest === undefined ? undefined : metrics.get(oldest)
  return (
    <div className={value > 0 ? 'tile waits' : 'tile'}>
      <dt>{isOpen ? <a href={href}>{label}</a> : label}</dt>
      <dd className="figure">
        {value === 0 ? t('None', undefined, 'how many reports or requests wait') : countText(value)}
      </dd>
      {value > 0 && age !== undefined && (
        <dd className="muted curve-note">
          {t('the oldest: {duration}', { duration: durationText(age) })}
        </dd>
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
