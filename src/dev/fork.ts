import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { Fork, ForkSource, subjectsOf } from '../features/fork/port.ts'
import { FORKED_FID, fidFloor, putFidFloor } from '../kernel/accounts/fid-floor.ts'
import type { InterfaceOptions } from '../kernel/http/options.ts'
import type { Module } from '../kernel/module.ts'
import type { Storage } from '../kernel/storage/storage.ts'
import { type AccountOrigin, ForkedDataError, ledgerOrigin } from './origin.ts'

// A development network with the accounts of another hub: rookery start --fork.

/** Accounts that are made here do not share an address with those of a development network that is forked. */
const FIRST_INDEX = 1_000_000

/** The interfaces whose reads are about accounts. */
const FORKED: ReadonlySet<InterfaceOptions['name']> = new Set(['hub', 'app', 'platform', 'web'])

export class DevFork {
  readonly #url: string
  #fork: Fork | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** The ledger, with fids above those of the source. */
  originOf(services: Services): AccountOrigin {
    const origin = ledgerOrigin(services, FIRST_INDEX)
    return {
      ...origin,
      async begin({ storage }) {
        await claimFork(storage)
      },
    }
  }

  module(services: Services): Module {
    const { storage, clock, hub, mergeEvents, views, config, logger } = services
    const source = new ForkSource(this.#url, logger)
    const { network } = config
    const isLocalKey = () => false
    this.#fork = new Fork({
      ...{ storage, clock, hub, mergeEvents, views, network, source, isLocalKey },
      log: logger,
    })
    return { name: 'fork', abort: () => this.#fork?.close() }
  }

  /** Requests are answered once what they are about was read. */
  prepareRequests(app: FastifyInstance, name: InterfaceOptions['name']): void {
    if (!FORKED.has(name)) return
    app.addHook('onRequest', async ({ method, url }) => {
      if (method !== 'GET') return
      await this.#fork?.prepare(subjectsOf(url), { awaitsViews: name !== 'hub' })
    })
  }
}

async function claimFork(storage: Storage): Promise<void> {
  if ((await fidFloor(storage)) > 0) return
  if ((await storage.accounts.count()) > 0) {
    throw new ForkedDataError(
      'these data are those of a network of its own: a fork needs an empty ROOKERY_DATA_DIR, or a --name of its own',
    )
  }
  await storage.write('hub', (tx) => putFidFloor(tx, FORKED_FID))
}
