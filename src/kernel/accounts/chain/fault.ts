// Failures of nodes. Messages never show the URL, which may hold an API key.

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

export const malformed = (what: string) => new ChainFault('malformed', what)

/** Statuses of proxies whose node took too long. */
const WAITED_TOO_LONG = [408, 504, 524]
const MAX_RETRY_AFTER_MS = 10 * 60_000

/** The fault that an HTTP status names; undefined for other statuses, whose body may name one. */
export function statusFault({ status, headers }: Response): ChainFault | undefined {
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? Number.NaN)
    const wait = seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined
    return new ChainFault('rate limit', 'status 429', { retryAfterMs: wait })
  }
  if (WAITED_TOO_LONG.includes(status)) return new ChainFault('timeout', `status ${status}`)
  if (status === 413) return new ChainFault('refused range', 'status 413')
  return undefined
}

/** The fault of a request without a usable body. viem's errors quote the URL, so only the kinds named here are passed on. */
export function requestFault(error: unknown): ChainFault {
  const { name, cause } = error as Error
  if (cause instanceof ChainFault) return cause
  if (name === 'ResponseBodyTooLargeError') return new ChainFault('refused range', 'too many bytes')
  if (cause instanceof SyntaxError) return malformed('an answer that is not JSON')
  const code = (cause as { cause?: { code?: unknown } } | undefined)?.cause?.code
  return new ChainFault('network', typeof code === 'string' ? code : 'no connection')
}

/** Messages and codes of providers for a rate limit. */
const TOO_OFTEN =
  /\brate\b|too many requests|requests? limit|throughput|throttl|capacity|per second|quota|daily/i
const TOO_OFTEN_CODES = [429, -32007, -32029, -32097]
/** Messages of providers for a range with too many blocks or logs. */
const TOO_MUCH =
  /range|limit|exceed|more than|too (?:large|big|many|long|wide)|time(?:d)? ?out|size/i
const MAX_TEXT = 200

export type RpcError = {
  readonly code?: unknown
  readonly message?: unknown
  readonly data?: unknown
}

/** The fault of an error that a node answers. */
export function rpcFault({ code, message, data }: RpcError): ChainFault {
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
