import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Services } from '../app.ts'
import {
  Fork,
  type ForkSource,
  recordedAfter,
  SourceError,
  subjectsOf,
  subjectsOfCall,
} from '../features/fork/port.ts'
import { FORKED_FID, fidFloor, putFidFloor } from '../kernel/accounts/fid-floor.ts'
import type { Call, Method } from '../kernel/grpc/method.ts'
import { intParam, withDefault } from '../kernel/http/input/params.ts'
import type { InterfaceOptions } from '../kernel/http/options.ts'
import { bind, json, route } from '../kernel/http/route.ts'
import type { Module } from '../kernel/module.ts'
import { toHex } from '../kernel/protocol/codec/bytes.ts'
import { networkName } from '../kernel/protocol/network-name.ts'
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

/** `of`: the address of the hub, or the path of a recorded fork. */
export type ForkOptions = { readonly of: string; readonly source: ForkSource }

export class DevFork {
  readonly #options: ForkOptions
  #fork: Fork | undefined

  constructor(options: ForkOptions) {
    this.#options = options
  }

  /** The ledger, with fids above those of the source. */
  originOf(services: Services): AccountOrigin {
    const origin = ledgerOrigin(services, FIRST_INDEX)
    return {
      ...origin,
      forkedFrom: this.#options.of,
      async begin({ storage }) {
        await claimFork(storage)
      },
    }
  }

  module(services: Services): Module {
    const { storage, clock, hub, mergeEvents, views, config, logger } = services
    const { source } = this.#options
    const { network } = config
    this.#fork = new Fork({
      ...{ storage, clock, hub, mergeEvents, views, network, source, isLocalKey },
      log: logger,
    })
    const routes = bind({ services, fork: this.#fork }, [actAs, recorded])
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

type ForkRouteContext = { readonly services: Services; readonly fork: Fork }

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
  handler: async ({ services, fork }: ForkRouteContext, { body }) => {
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

const recorded = route('GET /dev/fork', {
  callers: 'anyone',
  summary: 'What the fork keeps of an account of its source',
  description:
    'Of the first account above `after`, without what was written here. A recorded fork is a file of all of them: rookery dev record-fork.',
  query: { after: withDefault(intParam({ min: 0, max: FORKED_FID }), 0) },
  reply: Type.Object({
    network: Type.String({ description: 'mainnet, testnet or devnet.' }),
    fid: Type.Optional(Type.Integer({ description: 'Missing after the last account.' })),
    items: Type.Array(
      Type.Object({
        list: Type.String({ description: 'Of which list of a hub it is.' }),
        item: Type.Object({}, { $comment: 'Open: an item of this list, as a hub has it' }),
      }),
    ),
  }),
  errors: ['bad_request.invalid_param'],
  tags: DEV_TAGS,
  cost: 'list',
  handler: async ({ services: { storage, config }, fork }: ForkRouteContext, { query }) => {
    if (query.after === 0) await fork.settled()
    return {
      network: networkName(config.network),
      ...(await recordedAfter({ storage, isLocalKey }, query.after)),
    }
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
