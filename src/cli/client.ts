import { Failure } from './failure.ts'

/** The server refused the request; it has no effect. */
export class Refused extends Failure {
  /** The field at fault, if the server named one. */
  readonly field: string | undefined
  /** The error code, or the status of an answer without one. */
  readonly code: string | undefined

  constructor(message: string, { field, code }: { field?: string; code?: string } = {}) {
    super(message)
    this.field = field
    this.code = code
  }
}

const TIMEOUT_MS = 30_000

// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, looked into field by field
type Json = any

/** GET. Returns the parsed body, or undefined for 404. Throws a Failure for any other answer. */
export async function getJson(
  url: string,
  headers: Record<string, string> = {},
): Promise<Json | undefined> {
  const response = await request(url, { headers })
  if (response.status === 404) return undefined
  return bodyOf(url, response)
}

export async function postJson(url: string, body: object): Promise<Json> {
  const headers = { 'content-type': 'application/json' }
  return bodyOf(url, await request(url, { method: 'POST', headers, body: JSON.stringify(body) }))
}

export async function postBytes(
  url: string,
  bytes: Uint8Array,
  auth: string | undefined,
): Promise<Json> {
  const headers = {
    'content-type': 'application/octet-stream',
    ...(auth && { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
  }
  const body = bytes as Uint8Array<ArrayBuffer>
  return bodyOf(url, await request(url, { method: 'POST', headers, body }))
}

/** A call with the bearer token of an operator or user. Returns undefined for an empty answer (204). */
export async function askWithToken(
  url: string,
  call: { method: string; token: string | undefined; body?: object | undefined },
): Promise<Json | undefined> {
  const { method, token, body } = call
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  }
  const response = await request(url, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return response.status === 204 ? undefined : bodyOf(url, response)
}

/**
 * GET of something optional: undefined when the server does not answer or refuses. Where no server listens the
 * connection is refused at once; a busy one is waited for, because its answer decides what the command does.
 */
export async function probeJson(url: string): Promise<Json | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined
  }
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    const { origin } = new URL(url)
    const cause = causeOf(error as Error)
    throw new Failure(`${origin} cannot be reached (${cause}). Is Rookery running? Try: npm start`)
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
  UND_ERR_SOCKET: 'connection closed',
}

/** fetch hides the reason in its cause, which for a host of several addresses holds one error for each. */
function causeOf(error: Error): string {
  const cause = error.cause as
    | { code?: string; message?: string; errors?: { code?: string }[] }
    | undefined
  const code = cause?.code ?? cause?.errors?.[0]?.code ?? error.name
  return CAUSES[code] ?? cause?.message ?? code
}

async function bodyOf(url: string, response: Response): Promise<Json> {
  const text = await response.text()
  const body = parsed(text)
  if (response.ok && body !== undefined) return body
  const { origin } = new URL(url)
  if (body === undefined) {
    throw new Failure(
      `${origin} answered ${response.status} without JSON. Is this the right address?`,
    )
  }
  const code = body.errCode ?? body.code ?? response.status
  const said = body.details ?? body.message ?? body.errors?.[0]?.message ?? body.error
  throw new Refused(`${origin} refused: ${said} (${code})`, {
    field: body.field,
    code: String(code),
  })
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
