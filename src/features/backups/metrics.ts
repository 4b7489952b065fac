import { Counter, type Registry } from 'prom-client'
import { gaugeRegistrar } from '../../kernel/http/metrics.ts'

export type BackupOutcome = 'succeeded' | 'failed'

type BackupMetrics = { made(outcome: BackupOutcome): void }

type BackupGauges = {
  readonly intervalSeconds: number
  /** Age of the newest complete backup; without one, time since the process started. */
  ageSeconds(): number
  kept(): { readonly count: number; readonly bytes: number }
}

export function createBackupMetrics(registry: Registry, gauges: BackupGauges): BackupMetrics {
  const registers = [registry]
  const gauge = gaugeRegistrar(registers)
  const made = new Counter({
    name: 'rookery_backups_total',
    help: 'Backups that this process made, or began and did not finish, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of ['succeeded', 'failed'] as const) made.inc({ outcome }, 0)
  gauge(
    'rookery_backup_age_seconds',
    'Age of the newest complete backup; while there is none, the time since the process started',
    gauges.ageSeconds,
  )
  gauge(
    'rookery_backup_interval_seconds',
    'Time from one backup to the next',
    () => gauges.intervalSeconds,
  )
  gauge(
    'rookery_backups_kept',
    'Complete backups in the directory of backups',
    () => gauges.kept().count,
  )
  gauge('rookery_backup_bytes', 'Bytes of these backups', () => gauges.kept().bytes)
  return { made: (outcome) => made.inc({ outcome }) }
}
