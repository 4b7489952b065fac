import type { Socket } from 'node:net'
import { Rejection } from '../protocol/rejection.ts'
import { errorBody } from './errors.ts'
import type { HttpMetrics } from './metrics.ts'
import type { InterfaceOptions } from './options.ts'
import { corsOriginOf, noRequestId } from './requests.ts'
import { JSON_TYPE } from './route.ts'

type RefusalOptions = Pick<InterfaceOptions, 'name' | 'errors' | 'corsOrigin'> & {
  readonly metrics: Pick<HttpMetrics, 'rejected'>
}

/** Answers what is not an HTTP request; nothing of it is trusted or used. */
export function refuseSocket(options: RefusalOptions, error: Error, socket: Socket): void {
  if (!socket.writable || (error as NodeJS.ErrnoException).code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, rejection] = socketRefusal((error as NodeJS.ErrnoException).code)
  options.metrics.rejected(options.name, rejection.code)
  const body = JSON.stringify(
    errorBody(options.errors, rejection, noRequestId, Number.parseInt(status, 10)),
  )
  const head = [
    `HTTP/1.1 ${status}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...(corsOriginOf(options) === '*' ? ['access-control-allow-origin: *'] : []),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon())
}

export class TooManyConnectionsError extends Error {
  readonly code = 'TOO_MANY_CONNECTIONS'
}

export class TooManyRequestsError extends Error {
  readonly code = 'TOO_MANY_REQUESTS'
}

/** Some statuses are given below the routes, where Node counts bytes, seconds and connections. */
function socketRefusal(code: string | undefined): [status: string, Rejection] {
  if (code === 'TOO_MANY_CONNECTIONS') {
    const rejection = new Rejection('unavailable.overloaded', 'too many connections are open')
    return ['503 Service Unavailable', rejection]
  }
  if (code === 'TOO_MANY_REQUESTS') {
    const text = 'too many requests of this connection wait for an answer'
    return ['503 Service Unavailable', new Rejection('unavailable.overloaded', text)]
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const rejection = new Rejection('bad_request.too_large', 'url and headers are too large')
    return ['431 Request Header Fields Too Large', rejection]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const rejection = new Rejection('bad_request.parse_failure', 'the request took too long')
    return ['408 Request Timeout', rejection]
  }
  return ['400 Bad Request', new Rejection('bad_request.parse_failure', 'this is not HTTP')]
}
