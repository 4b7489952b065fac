// Requests to the server that sent the page.

import { GONE } from './gone.ts'
import { t } from './messages.ts'
import { language } from './meta.ts'

/** No answer came. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super(t('The server cannot be reached. Check your connection and try again.'), { cause })
  }
}

/** Said of a key that the account has removed or has not used for too long. */
const KEY_GONE = t(
  'This device is signed out: the key that it had is no key of your account any more.',
)
const isOfKey = (reason: string | undefined, message: string): boolean =>
  reason === 'bad_request.unknown_signer' || message.includes('is not an active key of FID')

/** The server refused the request. */
export class Refusal extends Error {
  readonly status: number
  /** The error code. */
  readonly reason: string | undefined
  /** By which the operator finds the request in the log. */
  readonly requestId: string | undefined
  /** What of the request was refused. */
  readonly field: string | undefined
  /** Whether it was signed by a key that the account does not have. */
  readonly isKeyGone: boolean
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | undefined

  constructor(
    status: number,
    message: string,
    {
      reason,
      requestId,
      field,
      retryAfter,
    }: {
      reason?: string | undefined
      requestId?: string | undefined
      field?: string | undefined
      retryAfter?: number | undefined
    } = {},
  ) {
    const isKeyGone = isOfKey(reason, message)
    super(isKeyGone ? KEY_GONE : message)
    this.name = 'Refusal'
    this.isKeyGone = isKeyGone
    this.status = status
    this.reason = reason
    this.requestId = requestId
    this.field = field
    this.retryAfter = retryAfter
  }
}

/** Whether a server that is there gave this answer: a proxy does not number requests. */
export const isOfServer = (status: number, requestId: string | null | undefined): boolean =>
  !GONE.includes(status) || typeof requestId === 'string'

/** Whether the server could not be asked. */
export const isLost = (error: unknown): boolean =>
  error instanceof Unreachable ||
  (error instanceof Refusal && !isOfServer(error.status, error.requestId))

/** Timeout after which a page reports that there is no answer. */
const TIMEOUT_MS = 20_000

export type Query = Readonly<Record<string, string | number | boolean | undefined>>
export type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: Query
  /** JSON, or a form. */
  readonly body?: object | URLSearchParams
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string | undefined
  /** Ends the request before its timeout. */
  readonly signal?: AbortSignal | undefined
}

export async function fetchJson<T>(url: string, call: Call = {}): Promise<T> {
  const { method = 'GET', query, body, headers, token, signal } = call
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const response = await answerOf(url + queryText(query), {
    method,
    cache: 'no-store',
    headers: {
      ...(body && !isForm(body) && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    // The browser says that a form is one.
    ...(body && { body: isForm(body) ? body : JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  const answer = (await response.json().catch(() => undefined)) as T | undefined
  if (response.ok && answer !== undefined) return answer
  throw await inLanguage(refusalOf(answerHead(response), answer))
}

/** What the status and the headers of a refusal say. */
export const answerHead = ({ status, headers }: Response): RefusalHead => ({
  status,
  requestId: headers.get('x-request-id'),
  retryAfter: Number(headers.get('retry-after')) || undefined,
})
type RefusalHead = {
  readonly status: number
  readonly requestId: string | null
  readonly retryAfter?: number | undefined
}

const isForm = (body: object): body is URLSearchParams => body instanceof URLSearchParams

const answerOf = (url: string, request: RequestInit): Promise<Response> =>
  fetch(url, request).catch((cause) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new Unreachable(cause)
  })

/** What an answer that is an error says. */
export function refusalOf(
  { status, requestId, retryAfter }: RefusalHead,
  // biome-ignore lint/suspicious/noExplicitAny: errors of each interface have their own shape
  answer: any,
): Refusal {
  const { message = answer?.message ?? answer?.details, reason = answer?.errCode ?? answer?.code } =
    answer?.errors?.[0] ?? {}
  const text = typeof message === 'string' ? message : t('The server answered {status}', { status })
  const field = answer?.field ?? answer?.property
  return new Refusal(status, text, { reason, field, retryAfter, requestId: requestId ?? undefined })
}

/** In another language than English: the sentence of its code, and the code behind what has none. */
export async function inLanguage(refusal: Refusal, reader = language): Promise<Refusal> {
  const { status, message, reason, isKeyGone } = refusal
  if (reader === 'en' || isKeyGone) return refusal
  const refusals = await import('./refusals.ts').catch(() => undefined)
  if (!refusals) return refusal
  const sentence = refusals.sentenceOf(refusal) ?? (reason ? `${message} (${reason})` : message)
  return new Refusal(status, sentence, refusal)
}

export function queryText(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}
