import { join } from 'node:path'
import {
  findServerKey,
  KEY_FILES,
  LostKeyError,
  loadServerKey,
} from '../../kernel/base/server-key.ts'
import type { Mode } from '../../kernel/base/setting.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { type Module, type ModuleContext, perMinute } from '../../kernel/module.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { isTestKey } from '../../kernel/protocol/crypto/test-keys.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import { COPY_TERMS, OWN_NAMES, type Server, type ServerStart } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { registryFeed } from './feed.ts'
import { createRegistryMetrics } from './metrics.ts'
import { REGISTRY } from './port.ts'
import { Registry } from './registry.ts'
import { registryRoutes } from './routes.ts'
import { MAX_BODY_BYTES, type RegistryConfig, type RegistrySettings } from './settings.ts'
import { claimSigner, missingKey, storedSigner } from './signer.ts'

type Config = RegistryConfig & HttpConfig & Pick<StorageConfig, 'dataDir'>

export const begin = ({ storage, offer }: ServerStart<unknown>): void =>
  offer(OWN_NAMES, registryFeed(storage))

/** The name registry; a server that uses another registry has none. */
export async function serve(server: Server<Config>): Promise<Module | undefined> {
  const { config, storage, clock, logger, metrics, mode, accounts, hub, find, offer } = server
  if (config.registryUrl || find(COPY_TERMS)) return undefined
  const registry = new Registry({
    storage,
    clock,
    accounts,
    verify: server.verifiers.verify,
    chainId: server.signingNetwork.chainId,
    onTransfer: (transfers) => hub.onNameTransfer(transfers),
    settings: settingsOf(config, await getServerKey(config, server), mode),
    metrics: createRegistryMetrics(metrics),
  })
  offer(REGISTRY, registry)
  return {
    name: 'registry',
    serves: {
      name: 'registry',
      title: 'Rookery name registry',
      description: 'Names, who holds them, and every change of hands.',
      errors: 'registry',
      host: config.host,
      port: config.registryPort,
      limits: { write: perMinute(mode, config.registryLimit) },
      ignoresPathCase: true,
      bodyLimitBytes: MAX_BODY_BYTES,
    },
    routes: { registry: registryRoutes(registry) },
    async start() {
      const signer = toHex(registry.signer)
      const mayChange = config.registryKey !== undefined
      const { before } = await claimSigner(storage, registry.signer, { mayChange })
      logger.info({ signer }, 'names are signed by')
      if (before) logger.warn({ before, signer }, 'names have another signer from now on')
    },
  }
}

/** The key is public, so that everyone could sign names with it. */
class TestKeyError extends Error {
  constructor(file: string) {
    super(`${file} has a key of the public test phrase, which everybody knows: remove it`)
  }
}

/**
 * The key of the settings, or that of the data directory, which is created for the first registry of a store. A new key
 * could not sign for the names that another one has signed.
 */
async function getServerKey(
  config: Config,
  { storage, logger, mode }: ModuleContext,
): Promise<Uint8Array> {
  if (config.registryKey) return config.registryKey
  const file = join(config.dataDir, KEY_FILES.registry.file)
  const signer = await storedSigner(storage)
  if (signer !== undefined && !findServerKey(file)) throw new LostKeyError(missingKey(signer, file))
  const { key, isNew } = loadServerKey(file)
  if (mode === 'production' && isTestKey(key)) throw new TestKeyError(file)
  if (isNew) logger.warn({ file }, 'made a key to sign names with; keep a copy of it')
  return key
}

const settingsOf = (
  config: RegistryConfig,
  serverKey: Uint8Array,
  mode: Mode,
): RegistrySettings => ({
  serverKey,
  intervals: {
    change: config.nameChangeDays * DAY_SECONDS,
    undo: config.nameUndoSeconds,
  },
  claims: config.registryClaims,
  reservedNames: config.reservedNames,
  admins: config.registryAdmins,
  resolvers: config.ensDomains,
  limits: config.nameChanges[mode],
})
