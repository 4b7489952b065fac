import { systemClock } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import { HOUR_MS } from '../../kernel/protocol/time.ts'
import type { Server } from '../../kernel/server.ts'
import { Backups } from './backups.ts'
import { type KeySettings, keySettingsOf } from './keys.ts'
import { backupRoutes } from './operator-routes.ts'
import { type BackupConfig, NO_DIRECTORY, POSTGRES_BACKUPS } from './settings.ts'

type Config = BackupConfig &
  KeySettings & { readonly network: number; readonly settingsHash: string }

/** Backups that the server makes by itself, when the settings name a directory for them. */
export function serve(server: Server<Config>): Module {
  const { config, storage, metrics, logger, onError } = server
  const { backupDir: directory, backupKeep: keep, network, settingsHash } = config
  if (directory === undefined) {
    const advice = storage.settings.databaseUrl === undefined ? NO_DIRECTORY : POSTGRES_BACKUPS
    return { name: 'backups', operatorRoutes: backupRoutes({ advice }) }
  }
  const intervalMs = config.backupIntervalHours * HOUR_MS
  const backups = new Backups({
    storage,
    network,
    keys: keySettingsOf(config),
    settingsHash,
    directory,
    intervalMs,
    keep,
    metrics,
    script: server.backupScript,
    log: logger,
    // Not the clock of the network: tests and development networks move that one.
    now: systemClock.now,
  })
  const settings = { directory, intervalHours: config.backupIntervalHours, keep }
  return {
    name: 'backups',
    jobs: backups.jobs,
    operatorRoutes: backupRoutes({ backups, settings, onError }),
    abort: () => backups.abort(),
  }
}
