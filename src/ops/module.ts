import type { Route } from '../http/route.ts'
import type { Module, ModuleContext } from '../module.ts'
import { registerReplicaMetrics } from './metrics.ts'
import { operatorAuth } from './operator-auth.ts'
import { operationsRoutes, publicHealthRoutes } from './routes.ts'
import type { OpsConfig } from './settings.ts'
import { createUseMetrics } from './use-metrics.ts'

/** The operations interface is only for programs on this machine. */
const LOOPBACK = '127.0.0.1'

/** Health, metrics and the operator calls of all other modules. */
export function createOpsModule(
  { storage, metrics, mode, clock }: ModuleContext,
  config: OpsConfig,
  modules: readonly Module[],
): Module {
  const details = Object.assign({}, ...modules.map((module) => module.details ?? {}))
  if (storage.replicas().length > 0) {
    details.replicas = () => ({ hosts: storage.replicas() })
    registerReplicaMetrics(metrics, storage.replicas)
  }
  const checks = [{ name: 'storage', check: storage.ping }]
  const health = publicHealthRoutes({ checks })
  return {
    name: 'operations',
    jobs: [createUseMetrics(metrics, storage.replica, clock)],
    serves: {
      name: 'operations',
      title: 'Rookery operations',
      description: 'Health, metrics and what only the operator may do.',
      errors: 'plain',
      host: LOOPBACK,
      port: config.opsPort,
      hostNames: config.opsHosts,
    },
    routes: {
      hub: health,
      registry: health,
      platform: health,
      accounts: health,
      web: health,
      app: health,
      operations: [
        ...operationsRoutes({
          checks,
          registry: metrics,
          operatorSecret: config.opsToken,
          details,
        }),
        ...operatorRoutes(modules.flatMap((module) => module.operatorRoutes ?? [])),
      ],
    },
  }

  /** Operator calls need a token in production; on a developer's machine loopback is enough. */
  function operatorRoutes(routes: readonly Route[]): Route[] {
    if (mode === 'production' && config.opsToken === undefined) return []
    return operatorAuth(config.opsToken, routes)
  }
}
