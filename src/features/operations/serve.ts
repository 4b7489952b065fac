import { type StorageEndConfig, storageEnds } from '../../kernel/accounts/settings.ts'
import { systemClock } from '../../kernel/base/clock.ts'
import type { ShownSetting } from '../../kernel/base/setting.ts'
import type { Route } from '../../kernel/http/route.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { FIND_PEOPLE } from '../search/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { errorRoutes } from './error-routes.ts'
import {
  registerBuildInfo,
  registerDiskMetrics,
  registerMemoryLimit,
  registerReplicaMetrics,
} from './metrics.ts'
import { operatorAuth, operatorCallsOff } from './operator-auth.ts'
import { operatorPageRoutes } from './page-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { createRecount } from './recount.ts'
import { metricsRoute, operationsRoutes, publicHealthRoutes } from './routes.ts'
import { createSampler, sampleRoutes } from './samples.ts'
import { serverRoutes } from './server-routes.ts'
import type { OpsConfig } from './settings.ts'
import { registerUseMetrics } from './use-metrics.ts'

/** Also the terms of storage, which the list of people counts by, and what the settings are. */
type Config = OpsConfig &
  StorageEndConfig & {
    readonly network: number
    readonly databaseUrl: string | undefined
    readonly shown: readonly ShownSetting[]
  }

/** Health, metrics, the page of the operator and the operator calls of all other modules. */
export function serve(server: Server<Config>): Module {
  const { config, storage, metrics, mode, clock, jobs, modules, recentErrors, hops } = server
  registerMemoryLimit(metrics)
  registerBuildInfo(metrics)
  registerDiskMetrics(metrics, storage.diskUse)
  registerUseMetrics(metrics, storage.replica, storage.schema!.counted, clock)
  const faces = server.find(SERVER_FACE)
  const details = Object.assign({}, ...modules.map((module) => module.details ?? {}))
  if (storage.replicas().length > 0) {
    details.replicas = () => ({ hosts: storage.replicas() })
    registerReplicaMetrics(metrics, storage.replicas)
  }
  const terms = { network: config.network, storageEnds: storageEnds(config) }
  const checks = [
    { name: 'storage', check: storage.ping },
    ...modules.flatMap((module) => module.checks ?? []),
  ]
  const health = publicHealthRoutes({ checks })
  const numbers = [
    ...sampleRoutes(storage, metrics, clock),
    ...peopleRoutes({
      ...{ storage, clock, terms },
      findPeople: async (text, limit) => (await server.find(FIND_PEOPLE)?.(text, limit)) ?? [],
    }),
  ]
  return {
    name: 'operations',
    // For accounts with a role; who has the token calls them below.
    operatorRoutes: [...numbers, metricsRoute(metrics)],
    jobs: [
      createSampler(storage, metrics, clock),
      // One process at a time opens a SQLite store.
      ...(storage.settings.databaseUrl ? [createRecount(storage, clock)] : []),
    ],
    serves: {
      name: 'operations',
      title: 'Rookery operations',
      description: 'Health, metrics and what only the operator may do.',
      errors: 'plain',
      host: config.opsHost,
      port: config.opsPort,
      hostNames: config.opsHosts,
    },
    routes: {
      hub: health,
      registry: health,
      platform: health,
      accounts: health,
      web: [...health, ...operatorPageRoutes('/room', faces)],
      app: health,
      operations: [
        ...operationsRoutes({
          checks,
          registry: metrics,
          operatorSecret: config.opsToken,
          details,
        }),
        ...operatorPageRoutes('/operator', faces),
        ...operatorRoutes([
          ...errorRoutes(recentErrors),
          ...serverRoutes({
            ...config,
            mode,
            live: server.live,
            jobs,
            hops,
            cautions: storage.cautions,
            diskUse: storage.diskUse,
            schema: storage.schema!.newest,
            startedMs: systemClock.now(),
          }),
          ...numbers,
          ...modules.flatMap((module) => module.operatorRoutes ?? []),
        ]),
      ],
    },
  }

  /** Operator calls need a token in production and beyond loopback; on a developer's machine loopback is enough. */
  function operatorRoutes(routes: readonly Route[]): Route[] {
    if (mode === 'production' && config.opsToken === undefined) return operatorCallsOff(routes)
    return operatorAuth(config.opsToken, routes)
  }
}
