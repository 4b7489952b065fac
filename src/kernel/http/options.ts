import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { BodyMemory } from '../limits/bodies.ts'
import type { ConnectionLimit } from '../limits/connections.ts'
import type { CostBudget } from '../limits/cost-budget.ts'
import type { UnreadBytes } from '../limits/unread.ts'
import type { Limit } from '../limits/window.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { Credentials } from './auth.ts'
import type { ErrorShape } from './errors.ts'
import type { Logger } from './logger.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Mounts } from './mounted.ts'
import type { Caller, RequestInfo, Route } from './route.ts'

/** The parts and options of an interface. */
export type InterfaceOptions = {
  name: 'hub' | 'registry' | 'platform' | 'accounts' | 'app' | 'operations' | 'web'
  title: string
  description: string
  version: string
  routes: readonly Route[]
  errors: ErrorShape
  /** Credentials that protected routes require; none or empty leaves them open. */
  basicAuth?: Credentials | undefined
  /** Finds who sent a request to a route that needs a key. Throws a Rejection for a key that is not known. */
  identify?: ((headers: IncomingHttpHeaders) => Promise<Caller>) | undefined
  /** Throws a Rejection for a request without a good token, for routes that need one (`needsToken`). */
  checkToken?: ((request: RequestInfo) => Promise<unknown>) | undefined
  /** The one web origin that may read answers; `*`, the default, allows any. Operations allows none. */
  corsOrigin?: string | undefined
  /** Headers of every answer that does not set them itself. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: readonly string[] | undefined
  /** Called when one of them names something that is no address. */
  onUnreadableHop?: ((hop: string) => void) | undefined
  /** Limits that routes name in `limit`; a name without an entry is unlimited. */
  limits?: Readonly<Record<string, Limit>> | undefined
  /** The budgets that every request is charged to, shared by the interfaces of a process; none charges nothing. */
  costs?: CostBudget | undefined
  /** Changes when other data take the place of the stored ones; limits count anew then, and `costs` do not: the work was done. */
  resets?: (() => number) | undefined
  /** Caches answers of routes that have a version; nothing is cached unless given. */
  cache?: AnswerCache | undefined
  /** Whether long answers are compressed for clients that accept it. */
  compressed?: boolean | undefined
  /** Whether the case of paths is ignored, as at the deployed registry. A trailing slash is ignored everywhere. */
  ignoresPathCase?: boolean | undefined
  /** Names besides `localhost` and IP addresses that are accepted as Host of operations. */
  hostNames?: readonly string[] | undefined
  /** Other interfaces that this one serves below prefixes. */
  mounts?: Mounts | undefined
  /** Whether the interface has no OpenAPI document and no start page of its own. */
  isUndocumented?: boolean | undefined
  /** Adds hooks that see each request once it is admitted. Development networks alone have some. */
  intercept?: ((app: FastifyInstance, options: InterfaceOptions) => void) | undefined
  logger: Logger
  metrics: HttpMetrics
  bodyLimitBytes?: number | undefined
  /** Time for a request to arrive whole; 20 seconds by default. */
  requestTimeoutMs?: number | undefined
  /** The longest time that requests in flight delay a stop; 10 seconds by default. */
  closeWaitMs?: number | undefined
  /** Open connections, memory for bodies that have arrived in part, and bytes of answers that were not read; of the process by default. */
  connections?: ConnectionLimit | undefined
  bodies?: BodyMemory | undefined
  unread?: UnreadBytes | undefined
  /** Time after which a client that reads nothing of an answer is disconnected. */
  stallTimeoutMs?: number | undefined
}
