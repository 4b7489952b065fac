import { AnswerTooLongError, answerText } from '../../http/answer-text.ts'

// JSON-RPC requests to one node. Every failure is a ChainFault with a kind. Messages never show the URL, which may
// hold an API key.

export const FAULT_KINDS = [
  'network',
  'timeout',
  'status',
  'rate limit',
  'malformed',
  'refused range',
  'rpc error',
  'wrong chain',
  'behind',
  'moved',
  'suspicious',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** A node gave no usable answer. Another node may, or the same one later. */
export class ChainFault extends Error {
  readonly kind: FaultKind
  /** Retry-After of the node, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Error data of the node: for a reverted call, the encoded error. */
  readonly data: unknown
  /** Error code of the node. */
  readonly code: number | undefined

  constructor(
    kind: FaultKind,
    message: string,
    {
      retryAfterMs,
      data,
      code,
    }: { retryAfterMs?: number | undefined; data?: unknown; code?: number } = {},
  ) {
    super(message)
    this.name = 'ChainFault'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.data = data
    this.code = code
  }
}

export type Question = { readonly method: string; readonly params: readonly unknown[] }

export type JsonRpc = {
  ask(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** The same requests with a shorter timeout. */
  askWithin(ms: number, method: string, params: readonly unknown[]): Promise<unknown>
  /** Answers in the order of the requests. */
  askAll(questions: readonly Question[]): Promise<unknown[]>
}

type JsonRpcOptions = {
  readonly url: string
  /** Aborts requests that are under way. */
  readonly signal: AbortSignal
  /** The longest wait for an answer. */
  readonly timeoutMs?: number | undefined
  /** The longest answer. */
  readonly maxAnswerBytes?: number | undefined
  /** Called for every request, because providers charge for each. */
  readonly onAsked: (method: string) => void
}

/** Providers abort log queries over long ranges after 10 to 30 seconds. */
const TIMEOUT_MS = 30_000
/** Logs of a range take about a kilobyte each; longer answers are requested in shorter ranges. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** Failures that may mean that a node takes no batches, or only shorter ones. */
const REFUSES_ALL: readonly FaultKind[] = ['status', 'rpc error', 'refused range']
/** Some providers take no longer batches. */
const MAX_BATCH = 50
const MAX_RETRY_AFTER_MS = 10 * 60_000
const MAX_TEXT = 200

export function jsonRpc(options: JsonRpcOptions): JsonRpc {
  const { url, signal, timeoutMs = TIMEOUT_MS, onAsked } = options
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = options
  let id = 0
  let takesBatches = true
  const { address, headers } = addressOf(url)

  const post = async (body: unknown, limitMs = timeoutMs): Promise<unknown> => {
    const timeout = AbortSignal.timeout(limitMs)
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.any([timeout, signal]),
      })
      const text = await answerText(response, maxAnswerBytes)
      if (!response.ok) throw statusFault(response, errorIn(text))
      return parse(text)
    } catch (error) {
      if (error instanceof ChainFault) throw error
      if (error instanceof AnswerTooLongError) throw new ChainFault('refused range', error.message)
      if (timeout.aborted) throw new ChainFault('timeout', `no answer in ${limitMs} ms`)
      throw new ChainFault('network', causeOf(error))
    }
  }

  const request = ({ method, params }: Question) => {
    onAsked(method)
    return { jsonrpc: '2.0', id: ++id, method, params }
  }

  const ask = async (question: Question, limitMs?: number): Promise<unknown> => {
    const asked = request(question)
    return resultOf(await post(asked, limitMs), asked.id)
  }

  const askBatch = async (questions: readonly Question[]): Promise<unknown[]> => {
    if (questions.length === 1 || !takesBatches) return askSingly(questions)
    const asked = questions.map(request)
    const answers = await post(asked).catch((error) => {
      if (error instanceof ChainFault && REFUSES_ALL.includes(error.kind)) return undefined
      throw error
    })
    if (Array.isArray(answers)) {
      const byId = new Map(answers.map((answer) => [(answer as Answer)?.id, answer]))
      return asked.map((one) => resultOf(byId.get(one.id), one.id))
    }
    const error = (answers as Answer | undefined)?.error
    if (error && rpcFault(error).kind === 'rate limit') throw rpcFault(error)
    const singly = await askSingly(questions)
    // If the node had failed rather than the batch, single requests would have failed too.
    takesBatches = false
    return singly
  }

  const askSingly = async (questions: readonly Question[]): Promise<unknown[]> => {
    const answers: unknown[] = []
    for (const question of questions) answers.push(await ask(question))
    return answers
  }

  return {
    ask: (method, ...params) => ask({ method, params }),
    askWithin: (ms, method, params) => ask({ method, params }, Math.min(ms, timeoutMs)),
    async askAll(questions) {
      const answers: unknown[] = []
      for (let at = 0; at < questions.length; at += MAX_BATCH) {
        answers.push(...(await askBatch(questions.slice(at, at + MAX_BATCH))))
      }
      return answers
    },
  }
}

/** `fetch` refuses a user and password in the URL: they go into the Authorization header. */
function addressOf(text: string): { address: URL; headers: Record<string, string> } {
  const address = new URL(text)
  const { username, password } = address
  const headers = { 'content-type': 'application/json' }
  if (!username && !password) return { address, headers }
  address.username = ''
  address.password = ''
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  return { address, headers: { ...headers, authorization } }
}

type Answer = { id?: unknown; result?: unknown; error?: RpcError | null }
type RpcError = { code?: unknown; message?: unknown; data?: unknown }

function resultOf(answer: unknown, id: number): unknown {
  if (typeof answer !== 'object' || answer === null) throw malformed('an answer is missing')
  const { id: answered, result, error } = answer as Answer
  if (error) throw rpcFault(error)
  if (answered !== id) throw malformed('an answer to another question')
  if (result === undefined) throw malformed('an answer without a result')
  return result
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('an answer that is not JSON')
  }
}

/** Statuses of proxies whose node took too long. */
const WAITED_TOO_LONG = [408, 504, 524]

/** Some providers put a JSON-RPC error behind a status. */
function errorIn(text: string): RpcError | undefined {
  try {
    const answer = JSON.parse(text) as Answer | null
    return typeof answer?.error === 'object' ? (answer.error ?? undefined) : undefined
  } catch {
    return undefined
  }
}

function statusFault({ status, headers }: Response, error: RpcError | undefined): ChainFault {
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    const wait = seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined
    return new ChainFault('rate limit', 'status 429', { retryAfterMs: wait })
  }
  if (WAITED_TOO_LONG.includes(status)) return new ChainFault('timeout', `status ${status}`)
  if (status === 413) return new ChainFault('refused range', 'status 413')
  return error ? rpcFault(error) : new ChainFault('status', `status ${status}`)
}

/** Messages and codes of providers for a rate limit. */
const TOO_OFTEN =
  /\brate\b|too many requests|requests? limit|throughput|throttl|capacity|per second|quota|daily/i
const TOO_OFTEN_CODES = [429, -32007, -32029, -32097]
/** Messages of providers for a range with too many blocks or logs. */
const TOO_MUCH =
  /range|limit|exceed|more than|too (?:large|big|many|long|wide)|time(?:d)? ?out|size/i

function rpcFault({ code, message, data }: RpcError): ChainFault {
  const words = String(message ?? '')
  const text = `error ${code}: ${withoutSecrets(words)}`
  const isRange = /range|results|logs|response/i.test(words)
  if (TOO_OFTEN_CODES.includes(Number(code)) || (TOO_OFTEN.test(words) && !isRange)) {
    return new ChainFault('rate limit', text)
  }
  return new ChainFault(TOO_MUCH.test(words) ? 'refused range' : 'rpc error', text, {
    data,
    code: Number(code),
  })
}

/** Providers quote URLs and keys in their messages: long tokens are removed. */
const withoutSecrets = (text: string): string =>
  text.replace(/https?:\S+|[\w-]{20,}/g, '…').slice(0, MAX_TEXT)

/** The code of a network error; its message may quote the URL. */
function causeOf(error: unknown): string {
  const { cause } = error as Error & { cause?: { code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : 'no connection'
}

const malformed = (what: string) => new ChainFault('malformed', what)
