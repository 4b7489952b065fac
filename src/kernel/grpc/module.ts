import type { Ledger } from '../accounts/ledger.ts'
import type { Mode } from '../base/setting.ts'
import type { AnswerCache } from '../http/answer-cache.ts'
import { parseCredentials } from '../http/auth.ts'
import type { HttpConfig } from '../http/settings.ts'
import type { EventFeed } from '../hub/events/event-feed.ts'
import type { Hub } from '../hub/hub.ts'
import type { HubReads } from '../hub/reads/reads.ts'
import type { HubConfig } from '../hub/settings.ts'
import { forwardedAddresses } from '../limits/client.ts'
import type { CostBudget } from '../limits/cost-budget.ts'
import type { UnreadableHops } from '../limits/unreadable-hops.ts'
import { type Module, type ModuleContext, perMinute } from '../module.ts'
import { adminMethods } from './admin-methods.ts'
import type { HubContext, HubMethod } from './hub-method.ts'
import { HUB_METHODS } from './hub-methods.ts'
import { CallLimits } from './limits.ts'
import type { Call, Method } from './method.ts'
import { createGrpcMetrics } from './metrics.ts'
import { admission, type PriceOptions, priced } from './price.ts'
import { reflectionMethods } from './reflection.ts'
import { GrpcServer } from './server.ts'
import { checkPath, PATH_HEADER } from './server-path.ts'
import type { GrpcConfig } from './settings.ts'

type GrpcModuleOptions = {
  readonly hub: Hub
  readonly reads: HubReads
  readonly feed: EventFeed
  /** The cache of answers that all transports share. */
  readonly cache: AnswerCache
  /** The budgets that calls are charged to, as those over HTTP. */
  readonly costs: CostBudget
  readonly hops: UnreadableHops
  /** The id of this server, by which it knows a call that has come through it. */
  readonly ownId: string
  /** The ids of the servers through which its data have come. */
  readonly path: () => Promise<string>
  /** Undefined where a chain has the accounts. */
  readonly ledger: Pick<Ledger, 'importEvents'> | undefined
  /** Stands before each method; the methods themselves unless given. */
  readonly intercept?: ((path: string, method: Method) => Method) | undefined
}

/** HubService over gRPC: the same reads and submits as over HTTP, and the live event feed. */
export function createGrpcModule(
  context: ModuleContext,
  config: GrpcConfig & HubConfig & HttpConfig & { readonly opsToken: string | undefined },
  { hub, reads, feed, costs, hops, cache, ownId, path, ledger, intercept }: GrpcModuleOptions,
): Module {
  const { mode, logger, clock, storage } = context
  const stopping = new AbortController()
  const { trustedProxies } = config
  const addressOf = forwardedAddresses({ trustedProxies, onUnreadable: hops.note })
  const limits = new CallLimits({
    credentials: parseCredentials(config.rpcAuth),
    addressOf,
    submits: perMinute(mode, config.submitLimit),
    subscriptions: { max: config.subscribeLimit, exemptLoopback: mode === 'development' },
    resets: storage.resets,
    now: () => clock.now(),
  })
  const metrics = createGrpcMetrics(context.metrics, {
    connections: () => server.connections,
    subscriptions: () => limits.subscriptions,
    unreadBytes: () => server.unreadBytes,
    unreadCalls: () => server.unreadCalls,
  })
  const prices: PriceOptions = {
    costs,
    addressOf: (call) => limits.addressOf(call),
    stopping: stopping.signal,
  }
  const served: HubContext = {
    hub,
    reads,
    path,
    feed,
    limits,
    cache,
    versions: storage.versions,
    stopping: stopping.signal,
    repeatMs: config.subscribeRepeatSeconds * 1_000,
    onDelivered: metrics.delivered,
  }
  const declared = declaredMethods(
    mode,
    adminMethods({ ledger, token: config.opsToken, mode, addressOf: prices.addressOf }),
  )
  const methods = methodsByPath(declared, prices, served, intercept)
  const admit = admission(prices)
  const server: GrpcServer = new GrpcServer({
    methods,
    admit: (call) => admit(call) ?? refusalOfLoop(call, ownId),
    trustedProxies,
    addressOf,
    corsOrigin: config.corsOrigin,
    onEnd(method, status, milliseconds, rejection) {
      metrics.ended(method, status, milliseconds)
      if (rejection) metrics.rejected(rejection.code)
      logger.debug({ method, status, code: rejection?.code, ms: Math.round(milliseconds) }, 'call')
    },
    onFault: (error, method) => logger.error({ err: error, method }, 'fault'),
  })
  return {
    name: 'grpc',
    listens: {
      name: 'grpc',
      listen: () => server.listen(config.host, config.grpcPort),
    },
    endRequests: () => stopping.abort(),
    stop: () => server.close(),
  }
}

function refusalOfLoop(call: Call, ownId: string): (() => Promise<never>) | undefined {
  try {
    checkPath(call.header(PATH_HEADER), ownId)
    return undefined
  } catch (error) {
    return () => Promise.reject(error)
  }
}

function methodsByPath(
  declared: Readonly<Record<string, HubMethod>>,
  prices: PriceOptions,
  context: HubContext,
  intercept: GrpcModuleOptions['intercept'] = (_, method) => method,
): Map<string, Method> {
  const methods = Object.entries(declared).map(([path, method]) => {
    const served = {
      ...priced(method.of(context), method, prices),
      ...(method.isSubmit && { admit: context.limits.checkCredentials }),
      ...(method.admit && { admit: method.admit }),
    }
    return [path, intercept(path, served)] as const
  })
  return new Map(methods)
}

/** The health check is the one method of another service. */
const pathOf = (name: string) =>
  name === 'Check' ? '/grpc.health.v1.Health/Check' : `/HubService/${name}`

/** What a tool may ask in development, it asks in production by the files at /docs/proto. */
function declaredMethods(
  mode: Mode,
  ofOperator: Readonly<Record<string, HubMethod>>,
): Readonly<Record<string, HubMethod>> {
  const ofHub = Object.entries(HUB_METHODS).map(([name, method]) => [pathOf(name), method])
  const methods = { ...Object.fromEntries(ofHub), ...ofOperator }
  return mode === 'development'
    ? { ...methods, ...reflectionMethods(Object.keys(methods)) }
    : methods
}
