import type { Credentials } from './auth.ts'
import type { ClientBudget } from './client-budget.ts'
import type { ErrorShape } from './errors.ts'
import type { Logger } from './logger.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Route } from './route.ts'

/** How many requests of one client are taken in a while. Counted per process. */
export type Limit = {
  max: number
  windowSeconds: number
  /** Whether this machine's own requests go uncounted, as at the deployed hubs' submit. */
  exemptLoopback?: boolean
  /** Whether uncounted requests are told of the limit too: clients may look for its headers. */
  announced?: boolean
}

/** What an interface is made of. */
export type InterfaceOptions = {
  name: 'hub' | 'registry' | 'platform' | 'accounts' | 'operations'
  title: string
  description: string
  version: string
  routes: readonly Route[]
  errors: ErrorShape
  /** What protected routes ask for; none or empty leaves them open. */
  basicAuth?: Credentials | undefined
  /** The one web origin that may read answers; `*`, the default, is any. Operations lets none. */
  corsOrigin?: string | undefined
  /** What scripts of other origins may read of an answer besides its body and type. */
  exposedHeaders?: readonly string[] | undefined
  /** Of every answer, unless it has its own. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[] | undefined
  /** What routes name as their `limit`; a name without an entry is unlimited. */
  limits?: Readonly<Record<string, Limit>> | undefined
  /** Whether the case of a path and a slash at its end do not matter, as at the deployed registry. */
  lenientPaths?: boolean | undefined
  /** Names besides `localhost` and IP addresses that may be the Host of operations. */
  hostNames?: readonly string[] | undefined
  logger: Logger
  metrics: HttpMetrics
  bodyLimitBytes?: number | undefined
  /** Time for a request to arrive whole; 20 seconds by default. */
  requestTimeoutMs?: number | undefined
  /** Bounds on open connections and on bytes of unfinished bodies; those of the process by default. */
  connectionBudget?: ClientBudget | undefined
  bodyBudget?: ClientBudget | undefined
}
