import type { RejectionCode } from '../kernel/protocol/rejection.ts'

/** Why a call failed although no server refused it. `denied` and `failed` are ends of a request for a key. */
type LocalCode =
  | 'network_failure'
  | 'timeout'
  | 'invalid_json'
  | 'event_too_long'
  | 'pruned'
  | 'repeated_page'
  | 'denied'
  | 'failed'
/** The codes that are known; a newer server may have others. */
export type ErrorCode = LocalCode | RejectionCode

/** Whether a call failed with this code: `catch (error) { if (hasCode(error, 'not_found')) … }`. */
export const hasCode = (error: unknown, code: ErrorCode): error is RookeryError =>
  error instanceof RookeryError && error.code === code

/** A request that was refused, or that no server answered. */
export class RookeryError extends Error {
  override readonly name = 'RookeryError'
  /** The status of the answer; 0 when there was none. */
  readonly status: number
  /** A stable code that programs may compare; docs/errors.md lists them. */
  readonly code: ErrorCode | (string & {})
  /** The parameter or the field of the body that is at fault, if one is. */
  readonly field: string | undefined
  /** Names the request in the log of the server. */
  readonly requestId: string | undefined
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, details: ErrorDetails, cause?: unknown) {
    super(message, { cause })
    this.status = details.status
    this.code = details.code
    this.field = details.field
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

type ErrorDetails = Pick<RookeryError, 'status' | 'code'> &
  Partial<Pick<RookeryError, 'field' | 'requestId' | 'retryAfterSeconds'>>

/** The bodies of refusals: each interface has the form that its published clients expect. */
type RefusalBody = {
  /** The hub has a gRPC number in `code`. */
  readonly errCode?: string
  readonly code?: string | number
  readonly message?: string
  readonly errors?: readonly { readonly message?: string }[]
  readonly field?: string
  /** `field` in the app API. */
  readonly property?: string
  readonly requestId?: string
}

/** What a caller may do about an answer that says too little; `url` is the address that the client was given. */
function adviceFor(status: number, said: string, url: string): string {
  if (status === 415) return '. This call takes bytes: those of signMessage, or of a file'
  if (status !== 404 || !said.startsWith('no route')) return ''
  return (
    ` at ${url}. A client of one interface takes its address, such as ${new URL(url).origin}/hub; createNetwork ` +
    'takes that of the front door. The paths of an interface are at its /docs'
  )
}

/** The hub says `unavailable` with 429, as deployed hubs do, which here has one code everywhere. */
function codeOf(status: number, { errCode, code }: RefusalBody): string {
  return status === 429 && errCode === 'unavailable'
    ? 'rate_limited'
    : String(errCode ?? code ?? status)
}

/** The error of an answer that is not a success. */
export async function refusalOf(response: Response, url: string): Promise<RookeryError> {
  const body = parsed(await response.text())
  const { status } = response
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const said = body.message ?? body.errors?.[0]?.message ?? response.statusText
  // The front door says where its interfaces are, which is said in the words of this library below.
  const text = said?.replace(/^(no route [^;]*);.*/, '$1') || `the server answered ${status}`
  return new RookeryError(text + adviceFor(status, text, url), {
    status,
    code: codeOf(status, body),
    field: body.field ?? body.property,
    requestId: body.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  })
}

/** An answer of something between the client and the server may be any text. */
function parsed(text: string): RefusalBody {
  try {
    const body = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
