import { networkName } from '../protocol/network-name.ts'
import type { StorageConfig } from './settings.ts'
import type { StorageSettings } from './storage.ts'

const GIB = 1024 ** 3
const MS_PER_SECOND = 1_000

/** Converts the settings of the store into the options of its port. `views`: whether the views are kept. */
export const storageSettingsOf = (
  config: StorageConfig & { readonly views: boolean },
): StorageSettings => ({
  databaseUrl: config.databaseUrl,
  databaseReadUrl: config.databaseReadUrl,
  maxReplicaLagMs: config.databaseMaxLagSeconds * MS_PER_SECOND,
  dataDir: config.dataDir,
  flushes: config.databaseFlush,
  diskQuotaBytes: config.diskQuotaGib === undefined ? undefined : config.diskQuotaGib * GIB,
  network: networkName(config.network),
  views: config.views,
  postgresLimits: {
    readConnections: config.databaseReadConnections,
    writeConnections: config.databaseWriteConnections,
    preparesStatements: config.databasePreparedStatements,
    statementTimeoutMs: config.databaseTimeoutSeconds * MS_PER_SECOND,
    connectTimeoutMs: config.databaseConnectTimeoutSeconds * MS_PER_SECOND,
  },
})
