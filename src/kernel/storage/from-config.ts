import { networkName } from '../protocol/network-name.ts'
import { GIB } from '../protocol/sizes.ts'
import { SECOND_MS } from '../protocol/time.ts'
import type { StorageConfig } from './settings.ts'
import type { StorageSettings } from './storage.ts'

/** Standbys that are further behind are not read from: a reload of what somebody wrote would not show it. */
const MAX_REPLICA_LAG_MS = 10 * SECOND_MS
/** Of the time for a statement: a host that vanished must not cost as much as work. 5 of 30 seconds. */
const CONNECT_TIMEOUT_SHARE = 1 / 6
const MIN_CONNECT_TIMEOUT_MS = 3 * SECOND_MS

/** Converts the settings of the store into the options of its port. `views`: whether the views are kept. */
export const storageSettingsOf = (
  config: StorageConfig & { readonly views: boolean },
): StorageSettings => ({
  databaseUrl: config.databaseUrl,
  databaseReadUrl: config.databaseReadUrl,
  maxReplicaLagMs: MAX_REPLICA_LAG_MS,
  dataDir: config.dataDir,
  flushes: config.databaseFlush,
  diskQuotaBytes: config.diskQuotaGib === undefined ? undefined : config.diskQuotaGib * GIB,
  network: networkName(config.network),
  views: config.views,
  postgresLimits: {
    readConnections: config.databaseConnections,
    writeConnections: config.databaseConnections,
    preparesStatements: config.databasePreparedStatements,
    statementTimeoutMs: config.databaseTimeoutSeconds * SECOND_MS,
    connectTimeoutMs: Math.max(
      MIN_CONNECT_TIMEOUT_MS,
      config.databaseTimeoutSeconds * SECOND_MS * CONNECT_TIMEOUT_SHARE,
    ),
  },
})
