import { isBytes, MAX_TIMER_MS } from './checks.ts'
import { RookeryError, refusalOf } from './error.ts'

/** What proves who asks. A function is called for each request, for tokens that expire. */
export type Credentials =
  | { readonly bearer: string | (() => string | Promise<string>) }
  /** A key of the app API. */
  | { readonly key: string }
  /** `user:password`. */
  | { readonly basic: string }

export type ClientOptions = {
  /** The address of the interface, such as http://127.0.0.1:2290/hub. */
  readonly url: string
  readonly credentials?: Credentials
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** How often a read that is answered 429 or 503 is repeated; 2 unless given. Writes never are. */
  readonly retries?: number
  /** How long one request may take, its answer included; 30,000 unless given, and Infinity is no limit. */
  readonly timeoutMs?: number
  /** Used instead of the global one. */
  readonly fetch?: typeof fetch
}

export type CallOptions = {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/** Parameters of path and query and the fields of the body; or bytes. Bytes and forms are the field `body` beside parameters. */
export type Input = Uint8Array | Readonly<Record<string, unknown>> | undefined
export type Request = { readonly method: Method; readonly path: string; readonly input: Input }

const RETRIES = 2
const TIMEOUT_MS = 30_000
/** A server that asks for more patience gets none: the caller decides. */
const MAX_WAIT_SECONDS = 30
const DEFAULT_WAIT_SECONDS = 1
const RETRIED = [429, 503]

/** Takes an answer; `url` is that of the request: the answer's own may be empty. */
export type Read<T> = (response: Response, url: string) => T | Promise<T>

/**
 * Sends a request, repeats reads as the server asks, and throws a RookeryError for every refusal and for every answer that does not
 * come whole. What `read` takes of the answer must come in the time of the request, too.
 */
export async function send<T>(
  options: ClientOptions,
  request: Request,
  call: CallOptions,
  read: Read<T>,
): Promise<T> {
  const retries = request.method === 'get' ? (options.retries ?? RETRIES) : 0
  for (let attempt = 0; ; attempt++) {
    const { answer, error } = await sendOnce(options, request, call, read)
    if (!error) return answer as T
    const seconds = error.retryAfterSeconds ?? DEFAULT_WAIT_SECONDS
    const isWorthIt = RETRIED.includes(error.status) && seconds <= MAX_WAIT_SECONDS
    if (attempt >= retries || !isWorthIt) throw error
    await wait(seconds * 1000, call.signal)
  }
}

async function sendOnce<T>(
  options: ClientOptions,
  { method, path, input }: Request,
  { signal, headers }: CallOptions,
  read: Read<T>,
): Promise<{ readonly answer?: T; readonly error?: RookeryError }> {
  const { url, rest } = addressOf(options.url, path, method, input)
  const init = {
    method: method.toUpperCase(),
    headers: {
      ...typeOf(rest),
      ...(await authorization(options.credentials)),
      ...options.headers,
      ...headers,
    },
    ...(rest !== undefined && { body: bodyOf(rest) }),
  }
  const limit = limited(options.timeoutMs ?? TIMEOUT_MS, signal)
  let isAnswered = false
  try {
    const response = await (options.fetch ?? fetch)(url, { ...init, ...limit.init })
    isAnswered = true
    if (!response.ok) return { error: await refusalOf(response, options.url) }
    return { answer: await read(response, url) }
  } catch (error) {
    if (error instanceof RookeryError) throw error
    throw lost(limit.signal?.reason ?? error, { url, signal, isAnswered })
  } finally {
    limit.end()
  }
}

/**
 * Aborts after a time, or with another signal, until it is ended. Made by hand: React Native has neither AbortSignal.timeout nor
 * AbortSignal.any, early versions of Node 20 have no `any`, and a timer or a listener that stays would hold what is over.
 */
function limited(ms: number, signal: AbortSignal | undefined) {
  if (ms > MAX_TIMER_MS) return { signal, init: signal && { signal }, end: () => {} }
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return { signal: controller.signal, init: { signal: controller.signal }, end }
}

/** Said of a server whose answer has begun. */
export const BROKE_OFF = 'broke off while its answer was read'

type Lost = {
  readonly url: string
  readonly signal: AbortSignal | undefined
  /** Whether an answer had begun. */
  readonly isAnswered: boolean
}

/**
 * What a call throws when its answer did not come whole: the caller's own reason where the caller aborted it, else a RookeryError. A
 * server that was reached may have done what was asked for.
 */
function lost(cause: unknown, { url, signal, isAnswered }: Lost): unknown {
  if (signal?.aborted) return signal.reason
  // Where a signal has no reason, its timer has aborted it.
  const isLate = /^(?:Timeout|Abort)Error$/.test((cause as Error).name)
  const code = isLate ? 'timeout' : 'network_failure'
  const what = isLate ? lateness(isAnswered) : breach(isAnswered)
  return new RookeryError(`${new URL(url).origin} ${what}`, { status: 0, code }, cause)
}

const MAY_BE_DONE = 'what was asked for may be done'

const lateness = (isAnswered: boolean): string =>
  `did not ${isAnswered ? 'end its answer' : 'answer'} in time: ${MAY_BE_DONE}`

const breach = (isAnswered: boolean): string =>
  isAnswered
    ? `${BROKE_OFF}: ${MAY_BE_DONE}`
    : 'cannot be reached: check the address, and whether the server runs'

/** The address with its parameters, and what is left of the input for the body. */
function addressOf(base: string, path: string, method: Method, input: Input) {
  if (isBytes(input)) return { url: joined(base, path), rest: input }
  if (isBytes(input?.bytes) && 'hash' in input) {
    throw new TypeError('pass the bytes of a signed message: post(path, signed.bytes)')
  }
  const fields = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    return encodeURIComponent(String(value))
  })
  const url = joined(base, filled)
  if (method === 'get') return { url: withQuery(url, fields), rest: undefined }
  if (isBytes(fields.body) || isForm(fields.body)) {
    const { body, ...parameters } = fields
    return { url: withQuery(url, parameters), rest: body }
  }
  return { url, rest: Object.keys(fields).length === 0 && !input ? undefined : fields }
}

const joined = (base: string, path: string) => base.replace(/(?<!\/)\/+$/, '') + path

function withQuery(url: string, fields: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length === 0 ? url : `${url}?${query}`
}

type Body = Uint8Array | URLSearchParams | object

const isForm = (body: unknown): body is URLSearchParams => body instanceof URLSearchParams

function typeOf(body: Body | undefined): Record<string, string> {
  if (body === undefined) return {}
  if (isForm(body)) return { 'content-type': 'application/x-www-form-urlencoded' }
  return { 'content-type': isBytes(body) ? 'application/octet-stream' : 'application/json' }
}

function bodyOf(body: Body) {
  // React Native takes no form but as text.
  if (isForm(body)) return body.toString()
  return isBytes(body) ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body)
}

async function authorization(
  credentials: Credentials | undefined,
): Promise<Record<string, string>> {
  if (credentials === undefined) return {}
  if ('key' in credentials) return { 'x-api-key': credentials.key }
  if ('basic' in credentials) return { authorization: `Basic ${base64(credentials.basic)}` }
  const { bearer } = credentials
  return { authorization: `Bearer ${typeof bearer === 'string' ? bearer : await bearer()}` }
}

/** btoa takes one character a byte. */
const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Resolves after a time, or rejects when the signal aborts. */
export function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const abort = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
