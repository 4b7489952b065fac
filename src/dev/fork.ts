import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Services } from '../app.ts'
import { Fork, ForkSource, SourceError, subjectsOf, subjectsOfCall } from '../features/fork/port.ts'
import { FORKED_FID, fidFloor, putFidFloor } from '../kernel/accounts/fid-floor.ts'
import type { Call, Method } from '../kernel/grpc/method.ts'
import type { InterfaceOptions } from '../kernel/http/options.ts'
import { bind, json, route } from '../kernel/http/route.ts'
import type { Module } from '../kernel/module.ts'
import { toHex } from '../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../kernel/protocol/rejection.ts'
import type { Storage } from '../kernel/storage/storage.ts'
import { DEV_TAGS } from './context.ts'
import { frontDoorRoutes } from './front-door.ts'
import { addLocalKey, isLocalKey } from './local-keys.ts'
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
      forkedFrom: this.#url,
      async begin({ storage }) {
        await claimFork(storage)
      },
    }
  }

  module(services: Services): Module {
    const { storage, clock, hub, mergeEvents, views, config, logger } = services
    const source = new ForkSource(this.#url, logger)
    const { network } = config
    this.#fork = new Fork({
      ...{ storage, clock, hub, mergeEvents, views, network, source, isLocalKey },
      log: logger,
    })
    const routes = bind({ services, fork: this.#fork }, [actAs])
    return {
      name: 'fork',
      routes: { operations: routes, web: frontDoorRoutes(routes) },
      abort: () => this.#fork?.close(),
    }
  }

  /** Requests are answered once what they are about was read. */
  prepareRequests(app: FastifyInstance, name: InterfaceOptions['name']): void {
    if (!FORKED.has(name)) return
    app.addHook('onRequest', async (request) => {
      const { method, url, exchange, routeOptions } = request
      if (method !== 'GET') return
      await this.#fork?.prepare(subjectsOf(url), { awaitsViews: name !== 'hub' })
      // What was cached may be from before the read.
      if (exchange.cached) exchange.cached = routeOptions.config.route?.findCached(request)
    })
  }

  /** The same of calls over gRPC. */
  prepareCalls(path: string, method: Method): Method {
    if (method.kind !== 'unary') return method
    return {
      ...method,
      handle: async (request: Uint8Array, call: Call) => {
        await this.#fork?.prepare(subjectsOfCall(path, request), { awaitsViews: false })
        return method.handle(request, call)
      },
    }
  }
}

const actAs = route('POST /dev/act-as', {
  callers: 'anyone',
  summary: 'A key with which to act as an account of the forked network',
  description:
    'By fid or name. The key is valid in this fork alone: no other network knows it, and everybody may know it.',
  body: json(
    Type.Object(
      { account: Type.String({ maxLength: 64, description: 'A fid or a name, such as @alice.' }) },
      { additionalProperties: false },
    ),
  ),
  reply: Type.Object({
    fid: Type.Integer(),
    name: Type.String({ description: 'The name, or `!` and the fid.' }),
    appPublicKey: Type.String({ description: 'Signs messages, in 0x hex.' }),
    appPrivateKey: Type.String({ description: 'Its Ed25519 seed, in 0x hex.' }),
  }),
  errors: ['bad_request.invalid_param', 'not_found', 'unavailable'],
  tags: DEV_TAGS,
  cost: 'write',
  handler: async ({ services, fork }: { services: Services; fork: Fork }, { body }) => {
    const fid = await fork.find(body.account).catch((error: Error) => {
      if (!(error instanceof SourceError)) throw error
      const why = 'the source does not answer as hubs do, or this fork keeps no more accounts'
      throw new Rejection('unavailable', `${body.account} cannot be read: ${why}`)
    })
    if (fid === undefined || fid > FORKED_FID) {
      throw new Rejection('not_found', `the forked network has no account ${body.account}`)
    }
    const { key, seed } = await addLocalKey(services, fid)
    const [proof] = await services.storage.nameProofs.byFid(fid)
    const name = proof ? Buffer.from(proof.name).toString() : `!${fid}`
    return { fid, name, appPublicKey: toHex(key), appPrivateKey: toHex(seed) }
  },
})

async function claimFork(storage: Storage): Promise<void> {
  if ((await fidFloor(storage)) > 0) return
  if ((await storage.accounts.count()) > 0) {
    throw new ForkedDataError(
      'these data are those of a network of its own: a fork needs an empty ROOKERY_DATA_DIR, or a --name of its own',
    )
  }
  await storage.write('hub', (tx) => putFidFloor(tx, FORKED_FID))
}
