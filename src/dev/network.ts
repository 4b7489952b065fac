import { type App, startApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import { type Clock, systemClock } from '../kernel/base/clock.ts'
import type { Logger } from '../kernel/http/logger.ts'
import { startDevChain } from './chain.ts'
import { DevClock } from './clock.ts'
import { Faults } from './faults/fault.ts'
import { breakCalls } from './faults/grpc.ts'
import { breakRequests } from './faults/http.ts'
import { DevFork, type ForkOptions } from './fork.ts'
import { createDevModule } from './module.ts'
import { ledgerOrigin } from './origin.ts'
import { tellUnknownParameters } from './unknown-parameters.ts'

export type DevNetwork = App & {
  /** The chain that its accounts are on, if there is one. */
  readonly chainUrl: string | undefined
}

/**
 * Starts the server with a small world and helpers on its operations interface. The world exists before
 * anything listens, so that no client sees part of it.
 */
export async function startDevNetwork(options: {
  config: Config
  logger?: Logger
  clock?: Clock
  /** Keeps accounts on its own chain instead of in the ledger. */
  onChain?: boolean
  /** Has the accounts of another network, too: they are read when they are asked for. */
  fork?: ForkOptions | undefined
}): Promise<DevNetwork> {
  checkOwnWorld(options.config)
  const clock = new DevClock(options.clock ?? systemClock)
  const faults = new Faults()
  const fork = options.fork && new DevFork(options.fork)
  const chain = options.onChain ? await startDevChain(options.config, clock.now()) : undefined
  try {
    const app = await startApp({
      ...options,
      config: chain?.config ?? options.config,
      clock,
      intercept: {
        requests(app, { name, logger }) {
          tellUnknownParameters(app, logger)
          fork?.prepareRequests(app, name)
          breakRequests(app, name, faults)
        },
        calls: (path, method) =>
          breakCalls(path, fork?.prepareCalls(path, method) ?? method, faults),
      },
      modules: (services) => [
        createDevModule(services, {
          clock,
          origin: chain?.origin ?? fork?.originOf(services) ?? ledgerOrigin(services),
          faults,
        }),
        ...(fork ? [fork.module(services)] : []),
      ],
    })
    const stop = async () => {
      await app.stop()
      await chain?.close()
    }
    return { ...app, stop, chainUrl: chain?.url }
  } catch (error) {
    await chain?.close()
    throw error
  }
}

function checkOwnWorld({ registryUrl, chainRpcUrls }: Config): void {
  const faults = [
    ...(registryUrl ? ['ROOKERY_REGISTRY_URL: a development network gives its names itself'] : []),
    ...(chainRpcUrls.length > 0
      ? [
          'ROOKERY_CHAIN_RPC_URLS: a development network has a chain of its own (start --chain anvil)',
        ]
      : []),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
}
