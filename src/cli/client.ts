import { RookeryError } from '../client/error.ts'
import { BROKE_OFF, type ClientOptions, type Request, send } from '../client/transport.ts'
import { Failure } from './failure.ts'

/** The server refused the request; it has no effect. */
export class Refused extends Failure {
  /** The field at fault, if the server named one. */
  readonly field: string | undefined
  /** The error code, or the status of an answer without one. */
  readonly code: string | undefined
  readonly status: number | undefined

  constructor(
    message: string,
    { field, code, status }: Partial<Pick<RookeryError, 'field' | 'code' | 'status'>> = {},
  ) {
    super(message)
    this.field = field
    this.code = code
    this.status = status
  }
}

/** Nothing answers at an address. */
export class Unreachable extends Failure {
  /** Which address, and why. */
  readonly what: string

  constructor(what: string) {
    super(`${what}. Is Rookery running? Try: npm start`)
    this.what = what
  }
}

const PROBE_TIMEOUT_MS = 30_000

// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, looked into field by field
type Json = any

/** Sends a request and returns the parsed answer; undefined for an empty one. Throws a Failure that names the server. */
export async function ask(options: ClientOptions, request: Request): Promise<Json> {
  const { origin } = new URL(options.url)
  try {
    const text = await send(options, request, {}, (response) => response.text())
    return text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new Failure(`${origin} answered without JSON. Is this the right address?`)
    }
    if (!(error instanceof RookeryError)) throw error
    if (error.status > 0) {
      throw new Refused(`${origin} refused: ${saidOf(error)} (${error.code})`, error)
    }
    const why = causeOf(error.cause as Error)
    if (error.message.includes(BROKE_OFF)) throw new Failure(`${error.message} (${why})`)
    throw new Unreachable(`${origin} cannot be reached (${why})`)
  }
}

/** The message, which does not always name the field at fault. */
const saidOf = ({ message, field }: RookeryError): string =>
  field === undefined || message.includes(field) ? message : `${field}: ${message}`

/** GET. Returns the parsed body, or undefined for 404. Throws a Failure for any other answer. */
export async function getJson(
  url: string,
  headers: Record<string, string> = {},
): Promise<Json | undefined> {
  try {
    return await ask({ url, headers }, { method: 'get', path: '', input: undefined })
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}

export const postJson = (url: string, input: object): Promise<Json> =>
  ask({ url }, { method: 'post', path: '', input: { ...input } })

export const postBytes = (
  url: string,
  input: Uint8Array,
  basic: string | undefined,
): Promise<Json> =>
  ask({ url, ...(basic && { credentials: { basic } }) }, { method: 'post', path: '', input })

/**
 * GET of something optional: undefined when the server does not answer or refuses. Where no server listens the
 * connection is refused at once; a busy one is waited for, because its answer decides what the command does.
 */
export async function probeJson(url: string): Promise<Json | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'no answer from DNS',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network unreachable',
  TimeoutError: 'timed out',
  AbortError: 'timed out',
  UND_ERR_SOCKET: 'connection closed',
}

/** fetch hides the reason in its cause, which for a host of several addresses holds one error for each. */
export function causeOf(error: Error): string {
  const cause = error.cause as
    | { code?: string; message?: string; errors?: { code?: string }[] }
    | undefined
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? error.name
  return CAUSES[code] ?? cause?.message ?? code
}
