import {
  askServer,
  type PressAnswer,
  pressAnswerOf,
  type SnapRequest,
  type SnapResponse,
} from '../../features/snaps/asking.ts'
import { error } from '../../features/snaps/faults.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Exchange } from './schemas.ts'

// One request to the server of a snap, as a developer sees it: with its whole answer and what is wrong about that.

export const RULES_OF_SNAPS = { allowLoopback: true, field: 'url' }

/** What is asked, and what its answer should be. */
export type Question = {
  readonly what: string
  readonly url: URL
  readonly request: SnapRequest
  /** A page of the web may come in place of a snap. */
  readonly mayBeHtml?: boolean
}

export type Answered = {
  readonly exchange: Exchange
  readonly response?: SnapResponse
  readonly read?: PressAnswer['read']
}

/** Asks, and reads the answer as a press would. */
export async function ask({ what, url, request, mayBeHtml }: Question): Promise<Answered> {
  const begin = performance.now()
  const asked = {
    ...{ what, method: request.method, url: url.href },
    requestHeaders: { ...request.headers },
    ...(request.body !== undefined && { requestBody: request.body }),
  }
  const took = () => Math.round(performance.now() - begin)
  try {
    const response = await askServer(url, request, RULES_OF_SNAPS)
    const ms = took()
    const { read, error: said } = pressAnswerOf(response, RULES_OF_SNAPS)
    const type = response.headers['content-type'] ?? ''
    const isHtml = mayBeHtml === true && /^text\/html\b/i.test(type)
    const faults = isHtml ? [] : (read?.faults ?? [])
    const exchange = {
      ...asked,
      status: response.status,
      responseHeaders: textHeaders(response),
      responseBody: response.body.toString(),
      ms,
      ...(read?.page && !isHtml && { page: read.page }),
      ...(said !== undefined && { error: said }),
      faults: faults.map((fault) => ({ ...fault, url: url.href })),
    }
    return { exchange, response, ...(read && !isHtml && { read }) }
  } catch (failure) {
    if (!(failure instanceof Rejection)) throw failure
    const fix = 'Start the server, and let it answer sooner.'
    const fault = { ...error('reachable', failure.message, fix), url: url.href }
    const none = { responseHeaders: {}, responseBody: '', ms: took(), error: failure.message }
    return { exchange: { ...asked, ...none, faults: [fault] } }
  }
}

const textHeaders = ({ headers }: SnapResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
