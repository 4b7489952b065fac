import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerOptions } from 'node:http'
import type { InterfaceOptions } from './options.ts'

// Time limits, request ids and the CORS origin: the same for every request of a server.

/** Longer than load balancers keep an idle connection, so that they never use one that is closing. */
const KEEP_ALIVE_MS = 72_000
/** Time for the whole request to arrive: 1 MiB at 50 KiB a second. Answers may take longer. */
const REQUEST_TIMEOUT_MS = 20_000
const HEADERS_TIMEOUT_MS = 10_000
/** How often Node looks for connections that exceed these times. */
const TIMEOUT_CHECK_MS = 2_000

/** Bounds on how long a connection and a request may take. */
export const timeLimits = (requestTimeoutMs = REQUEST_TIMEOUT_MS) =>
  ({
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeoutMs),
  }) satisfies ServerOptions

/** Differs between threads and restarts. */
const bootId = randomBytes(4).toString('hex')
let requestCount = 0
const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The caller's own request id when it is safe to log, otherwise a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && SANE_ID.test(given)) return given
  requestCount += 1
  return `${bootId}-${requestCount.toString(36)}`
}

/** The id in answers to input that is no HTTP request. */
export const noRequestId = `${bootId}-0`

export const corsOriginOf = ({
  name,
  corsOrigin = '*',
}: Pick<InterfaceOptions, 'name' | 'corsOrigin'>): string | undefined =>
  name === 'operations' ? undefined : corsOrigin
