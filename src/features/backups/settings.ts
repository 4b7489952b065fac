import { resolve } from 'node:path'
import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseInteger,
  requireSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import { STORAGE_SETTINGS } from '../../kernel/storage/settings.ts'

/** Timers of Node cannot wait for longer than 24 days. */
const MAX_INTERVAL_HOURS = 500
const MAX_KEPT = 1_000

/** What to do where nothing says where they go. */
export const NO_DIRECTORY = 'Set ROOKERY_BACKUP_DIR to a directory on another disk than the data.'
/** What to use where the store is not ours to copy. */
export const POSTGRES_BACKUPS =
  'PostgreSQL has backups of its own: use pg_dump or pgBackRest, and keep the key files beside them ' +
  '(docs/postgresql.md, Backups).'

const settings = {
  backupDir: optionalSetting({
    variable: 'ROOKERY_BACKUP_DIR',
    what: 'Directory for backups that the server makes of the embedded store by itself; on another disk than the data. Without it there are none. Refused with DATABASE_URL.',
    parse: (text) => resolve(text),
  }),
  backupIntervalHours: setting({
    variable: 'ROOKERY_BACKUP_INTERVAL_HOURS',
    what: 'Hours between the starts of two backups.',
    defaults: inBothModes('24'),
    parse: (text) => parseInteger(text, 1, MAX_INTERVAL_HOURS),
  }),
  backupKeep: setting({
    variable: 'ROOKERY_BACKUP_KEEP',
    what: 'Backups to keep in that directory. Older ones are removed after a new one was made and checked.',
    defaults: inBothModes('7'),
    parse: (text) => parseInteger(text, 1, MAX_KEPT),
  }),
}

export const BACKUP_SETTINGS = {
  title: 'Backups',
  settings,
  check: (given: GivenSettings) => [
    ...requireSetting(given, settings.backupDir, [
      settings.backupIntervalHours,
      settings.backupKeep,
    ]),
    ...refuseWithPostgres(given),
  ],
} satisfies SettingGroup

function refuseWithPostgres({ isGiven }: GivenSettings): string[] {
  const { backupDir } = settings
  const { databaseUrl } = STORAGE_SETTINGS.settings
  if (!isGiven(backupDir) || !isGiven(databaseUrl)) return []
  return [`${backupDir.variable} cannot be used with ${databaseUrl.variable}. ${POSTGRES_BACKUPS}`]
}

export type BackupConfig = SettingValues<typeof settings>
