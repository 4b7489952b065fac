import { networkName } from '../protocol/network-name.ts'
import { GIB } from '../protocol/sizes.ts'
import { SECOND_MS } from '../protocol/time.ts'
import type { StorageConfig } from './settings.ts'
import type { StorageSettings } from './storage.ts'

/** Converts the settings of the store into the options of its port. `views`: whether the views are kept. */
export const storageSettingsOf = (
  config: StorageConfig & { readonly views: boolean },
): StorageSettings => ({
  databaseUrl: config.databaseUrl,
  databaseReadUrl: config.databaseReadUrl,
  maxReplicaLagMs: config.databaseMaxLagSeconds * SECOND_MS,
  dataDir: config.dataDir,
  flushes: config.databaseFlush,
  diskQuotaBytes: config.diskQuotaGib === undefined ? undefined : config.diskQuotaGib * GIB,
  network: networkName(config.network),
  views: config.views,
  postgresLimits: {
    readConnections: config.databaseReadConnections,
    writeConnections: config.databaseWriteConnections,
    preparesStatements: config.databasePreparedStatements,
    statementTimeoutMs: config.databaseTimeoutSeconds * SECOND_MS,
    connectTimeoutMs: config.databaseConnectTimeoutSeconds * SECOND_MS,
  },
})
