import { unixSeconds } from '../../kernel/base/clock.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { PUSHES } from '../push/port.ts'
import { SIGN_IN } from '../sign-in/port.ts'
import { sealedKeyRoutes } from './routes.ts'
import { sealedKeyRows } from './tables/sealed-keys.ts'

const COLLECT_INTERVAL_MS = 15_000

type Config = Pick<StorageConfig, 'network'> & Pick<HttpConfig, 'publicUrl'>

export function serve(server: Server<Config>): Module {
  const { config, storage, clock, accounts, verifiers, domains, of, find } = server
  const now = () => unixSeconds(clock)
  const owner = {
    ...{ accounts, verify: verifiers.verify, now },
    domain: domains.idRegistry,
    network: networkName(config.network),
  }
  return {
    name: 'sealed keys',
    routes: {
      accounts: sealedKeyRoutes({
        ...{ storage, clock, owner, publicUrl: config.publicUrl },
        keys: of(SIGN_IN).keys,
        pushes: () => find(PUSHES),
      }),
    },
    jobs: [
      {
        name: 'sealed keys',
        scope: 'leader',
        everyMs: COLLECT_INTERVAL_MS,
        run: () => storage.write('all/sign-ins', (tx) => tx.of(sealedKeyRows).collect(now())),
      },
    ],
  }
}
