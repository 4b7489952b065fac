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
} from '../setting.ts'

/** Timers of Node cannot wait for longer than 24 days. */
const MAX_INTERVAL_HOURS = 500
const MAX_KEPT = 1_000

const settings = {
  backupDir: optionalSetting({
    variable: 'ROOKERY_BACKUP_DIR',
    what: 'Directory for backups that the server makes by itself; on another disk than the data. Without it there are none.',
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
  check: (given: GivenSettings) =>
    requireSetting(given, settings.backupDir, [settings.backupIntervalHours, settings.backupKeep]),
} satisfies SettingGroup

export type BackupConfig = SettingValues<typeof settings>
