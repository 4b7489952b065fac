import { Failure } from './failure.ts'

/** The server understood and said no: nothing happened there. */
export class Refused extends Failure {
  /** What it was about, if the server said so. */
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super(message)
    this.field = field
  }
}

const TIMEOUT_MS = 30_000
/** Asked on the way to something else: a server that is there answers at once. */
const PROBE_TIMEOUT_MS = 2_000

// biome-ignore lint/suspicious/noExplicitAny: JSON of a server, looked into field by field
type Json = any

/** GET that answers with the parsed body, or undefined for 404. Throws a Failure for anything else. */
export async function getJson(url: string): Promise<Json | undefined> {
  const response = await request(url, {})
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

/** A call with a token, the operator's or a user's; undefined when the answer says nothing. */
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

/** GET of something that need not be there: undefined when nobody answers or the answer is no. */
export async function probeJson(url: string): Promise<Json | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
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
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name
    throw new Failure(`${origin} cannot be reached (${cause}). Is Rookery running? Try: npm start`)
  }
}

async function bodyOf(url: string, response: Response): Promise<Json> {
  const text = await response.text()
  const body = parsed(text)
  if (response.ok && body !== undefined) return body
  const { origin } = new URL(url)
  if (body === undefined) {
    throw new Failure(`${origin} answered ${response.status} and no JSON; is it the right address?`)
  }
  const code = body.errCode ?? body.code ?? response.status
  const said = body.details ?? body.message ?? body.errors?.[0]?.message ?? body.error
  throw new Refused(`${origin} refused: ${said} (${code})`, body.field)
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
