// What calls of gRPC and of gRPC-web are over HTTP/2, besides their messages.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import { promisify } from 'node:util'
import { gunzip, inflate } from 'node:zlib'
import { Rejection } from '../protocol/rejection.ts'
import { trailerFrame } from './frames.ts'
import { type CallStatus, statusOf } from './status.ts'

/** Browsers cannot read trailers: gRPC-web has them in the body. */
export type Protocol = 'grpc' | 'grpc-web'

const CONTENT_TYPE = /^application\/(grpc|grpc-web)(?:\+proto)?(?:\s*;.*)?$/i

/** Undefined for requests that are no calls. */
export const protocolOf = (headers: IncomingHttpHeaders): Protocol | undefined =>
  headers[':method'] === 'POST'
    ? (CONTENT_TYPE.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() as Protocol | undefined)
    : undefined

const EXPOSED =
  'grpc-status, grpc-message, errcode, x-err-code, field, retry-after, x-oldest-event-id'

/** The headers with which the answer to a call begins. */
export const headersOf = (protocol: Protocol, corsOrigin: string): OutgoingHttpHeaders =>
  protocol === 'grpc'
    ? { ':status': 200, 'content-type': 'application/grpc+proto' }
    : {
        ':status': 200,
        'content-type': 'application/grpc-web+proto',
        'access-control-allow-origin': corsOrigin,
        'access-control-expose-headers': EXPOSED,
      }

const PREFLIGHT_SECONDS = '7200'
const ASKED_HEADERS =
  'authorization, content-type, grpc-timeout, x-grpc-web, x-user-agent, x-requested-with'

/** The answer to a request that is no call: browsers ask whether they may make one. */
export const headersOfOther = (
  headers: IncomingHttpHeaders,
  corsOrigin: string,
): OutgoingHttpHeaders =>
  headers[':method'] === 'OPTIONS'
    ? {
        ':status': 204,
        'access-control-allow-origin': corsOrigin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': ASKED_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      }
    : { ':status': headers[':method'] === 'POST' ? 415 : 405 }

/** As gRPC writes the text of a status: everything but printable ASCII, and the sign itself. */
const percentEncoded = (text: string): string => text.replace(/[^ -$&-~]+/g, encodeURIComponent)

/** The headers that tell how a call ended. */
export const endOf = (
  status: CallStatus | undefined,
  trailers: Readonly<Record<string, string>> = {},
): Record<string, string> => ({
  'grpc-status': String(status?.code ?? 0),
  'grpc-message': status ? percentEncoded(status.details) : 'OK',
  ...trailers,
  ...status?.trailers,
})

/** The same as the last frame of a body of gRPC-web. */
export const endFrame = (end: Readonly<Record<string, string>>): Buffer =>
  trailerFrame(
    Object.entries(end)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  )

const TIMEOUT = /^(\d{1,8})([HMSmun])$/
const UNIT_MS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
}
/** The longest time that a timer takes, 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** How long the client waits, in milliseconds; undefined when it does not say. Throws a Rejection. */
export function timeoutOf(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['grpc-timeout']
  if (text === undefined) return undefined
  const [, number, unit] = TIMEOUT.exec(String(text)) ?? []
  if (unit === undefined) {
    throw new Rejection('bad_request.parse_failure', 'grpc-timeout cannot be read')
  }
  return Math.min(Number(number) * UNIT_MS[unit]!, MAX_TIMER_MS)
}

const INTERNAL = 13
const DEADLINE_EXCEEDED = 4

/** The protocol has this number for headers that cannot be read. */
export const unreadableHeaders = (error: unknown): CallStatus => ({
  ...statusOf(error),
  code: INTERNAL,
})

export const deadlineExceeded = (): CallStatus => ({
  ...statusOf(new Rejection('unavailable', 'Deadline exceeded')),
  code: DEADLINE_EXCEEDED,
})

const INFLATERS = { gzip: promisify(gunzip), deflate: promisify(inflate) }
export const ACCEPTED_ENCODINGS = 'identity, gzip, deflate'

/** A message that came compressed. Throws a Rejection. */
export async function inflated(
  bytes: Uint8Array,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): Promise<Buffer> {
  const encoding = String(headers['grpc-encoding'] ?? 'identity')
  const inflate = encoding in INFLATERS ? INFLATERS[encoding as 'gzip'] : undefined
  if (!inflate) throw new Rejection('not_supported', `messages in ${encoding} are not taken`)
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLong
      ? new Rejection('bad_request.too_large', `the request has more than ${maxBytes} bytes`)
      : new Rejection('bad_request.parse_failure', 'the message cannot be decompressed')
  }
}
