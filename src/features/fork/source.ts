import type { Logger } from '../../kernel/http/logger.ts'
import { RequestLimiter } from '../mirror/port.ts'
import { isObject } from './json.ts'

// The hub whose network is forked. It is only read, and only by the paths of this list.

/** Every path that is ever asked for, always with GET. */
export const READS = {
  fids: '/v1/fids',
  chainEvents: '/v1/onChainEventsByFid',
  names: '/v1/userNameProofsByFid',
  name: '/v1/userNameProofByName',
  userData: '/v1/userDataByFid',
  verifications: '/v1/verificationsByFid',
  links: '/v1/linksByFid',
  casts: '/v1/castsByFid',
  reactions: '/v1/reactionsByFid',
  cast: '/v1/castById',
  replies: '/v1/castsByParent',
} as const
export type Read = keyof typeof READS

export type Query = Readonly<Record<string, string | number | boolean>>

/** An answer of a hub, looked into field by field. */
export type SourceJson = Readonly<Record<string, unknown>>

/** Requests a second to a hub on another machine. Hosted hubs allow 500 a minute and more. */
const RATE = 20
/** And so many before that, after a pause: those of a first screen. */
const BURST = 100
/** At a time, from the first request on: somebody waits for the answer. */
const CONCURRENCY = 8
const TIMEOUT_MS = 15_000
/** A page of a thousand long casts has less. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024
const MAX_ATTEMPTS = 3
const RETRY_MS = 1_000
/** The longest wait that a hub may ask for. */
const MAX_RETRY_AFTER_MS = 60_000
/** A hub that did not answer is not asked again for this long: what is kept is served meanwhile. */
const SILENCE_MS = 10_000

/** What is said of a request that is to be made again, as soon as the hub allows one. */
const OVERLOADED = Symbol('overloaded')

/** The source did not answer, or not with what hubs answer. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Where a fork reads accounts. */
export abstract class ForkSource {
  /** The answer; undefined when the source has no such thing. Throws a SourceError. */
  abstract get(read: Read, query?: Query): Promise<SourceJson | undefined>

  /** Who has written a cast, where a source knows that by its hash alone; hubs do not. */
  authorOf(_hash: string): number | undefined {
    return undefined
  }

  close(): void {}

  /** Items of a list, the newest first, of at most so many pages, and no more than fit in them. `isCut`: there are more. */
  async list(
    read: Read,
    query: Query,
    { field = 'messages', pageSize, pages }: ListTerms,
  ): Promise<{ readonly items: readonly unknown[]; readonly isCut: boolean }> {
    const items: unknown[] = []
    const most = pageSize * pages
    let pageToken = ''
    for (let page = 0; page < pages; page++) {
      const asked = { ...query, pageSize, ...(pageToken && { pageToken }) }
      const answer = await this.get(read, asked)
      const found: unknown = answer?.[field]
      for (const item of Array.isArray(found) ? found : []) {
        if (items.length >= most) return { items, isCut: true }
        items.push(item)
      }
      const next = answer?.nextPageToken
      if (typeof next !== 'string' || isLast(next) || next === pageToken) {
        return { items, isCut: false }
      }
      pageToken = next
    }
    return { items, isCut: true }
  }
}

/** At Snapchain a list of several shards ends with a token without a place in any of them, which begins it anew. */
const isLast = (token: string): boolean =>
  token === '' || /^\[null(?:,null)*\]$/.test(Buffer.from(token, 'base64').toString())

/** Headers for a hub that asks who reads, such as one that is hosted. They are in no log and no file. */
export type SourceHeaders = Readonly<Record<string, string>>

/** A hub that is asked over HTTP. */
export class HubSource extends ForkSource {
  readonly #url: string
  readonly #headers: SourceHeaders
  readonly #limiter: RequestLimiter
  readonly #log: Pick<Logger, 'warn'>
  readonly #closed = new AbortController()
  #silentUntil = 0

  constructor(url: string, log: Pick<Logger, 'warn'>, headers: SourceHeaders = {}) {
    super()
    this.#url = url.replace(/(?<!\/)\/+$/, '')
    this.#headers = headers
    this.#log = log
    const rate = isLoopback(new URL(url)) ? 0 : RATE
    this.#limiter = new RequestLimiter({
      rate,
      burst: BURST,
      concurrency: CONCURRENCY,
      first: CONCURRENCY,
    })
  }

  override async get(read: Read, query: Query = {}): Promise<SourceJson | undefined> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#ask(read, query, attempt)
      if (answer !== OVERLOADED) return answer
    }
  }

  override close(): void {
    this.#closed.abort()
  }

  async #ask(
    read: Read,
    query: Query,
    attempt: number,
  ): Promise<SourceJson | undefined | typeof OVERLOADED> {
    this.#checkSilence()
    const end = await this.#limiter.begin(this.#closed.signal)
    let isOverloaded = false
    try {
      // It may have fallen silent while this request waited.
      this.#checkSilence()
      const response = await fetch(this.#urlOf(read, query), {
        headers: { accept: 'application/json', 'user-agent': 'rookery fork', ...this.#headers },
        redirect: 'error',
        signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      isOverloaded = response.status === 429 || response.status === 503
      if (isOverloaded) {
        await response.body?.cancel()
        this.#limiter.waitUntil(retryAfterMs(response) ?? RETRY_MS * attempt)
        if (attempt < MAX_ATTEMPTS) return OVERLOADED
        throw new Error(`it answers ${response.status}`)
      }
      return await answerOf(response, read)
    } catch (error) {
      throw this.#failure(error)
    } finally {
      end(isOverloaded ? 'overloaded' : 'answered')
    }
  }

  #checkSilence(): void {
    if (performance.now() < this.#silentUntil) throw new SourceError('the source does not answer')
  }

  #urlOf(read: Read, query: Query): string {
    const texts = Object.entries(query).map(([name, value]) => [name, String(value)])
    return `${this.#url}${READS[read]}?${new URLSearchParams(texts)}`
  }

  #failure(error: unknown): Error {
    this.#closed.signal.throwIfAborted()
    if (error instanceof SourceError) return error
    const { message, cause } = error as Error
    const why = cause instanceof Error ? cause.message || String(cause) : message
    if (performance.now() >= this.#silentUntil) {
      this.#silentUntil = performance.now() + SILENCE_MS
      this.#log.warn({ why }, 'the forked hub does not answer: what was read before is served')
    }
    return new SourceError(why)
  }
}

type ListTerms = {
  readonly field?: string
  readonly pageSize: number
  readonly pages: number
}

async function answerOf(response: Response, read: Read): Promise<SourceJson | undefined> {
  const text = await boundedText(response)
  if (response.status === 404) return undefined
  if (!response.ok) {
    // Hubble says so of names and casts that it does not have.
    if (response.status === 400 && /not.?found/i.test(text)) return undefined
    throw new SourceError(`${READS[read]} was answered with ${response.status}`)
  }
  const answer = parsed(text)
  if (isObject(answer)) return answer
  throw new SourceError(`${READS[read]} was not answered with a JSON object`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > MAX_ANSWER_BYTES) throw new SourceError('an answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function retryAfterMs({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? '')
  return seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : undefined
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
