import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isDeeperThan } from '../../kernel/http/input/depth.ts'
import { type OutgoingRules, outgoingFailure, requestOutgoing } from '../../kernel/http/outgoing.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { error, type SnapFault } from './faults.ts'
import { type ReadPage, readPage } from './page.ts'
import type { Jfs } from './payload.ts'
import { SNAP_PAYLOAD_HEADER, SNAP_TYPE } from './words.ts'

// How servers of snaps are asked: with GET by the previews of links, which then come here, and with what a user has signed.

/** The Accept header that asks for a snap first, and for a page else. */
export const ACCEPT = `${SNAP_TYPE}, text/html;q=0.9, image/*;q=0.5`
/** Larger than any page within the limits of the format. */
export const MAX_SNAP_BYTES = 256 * 1024
/** For name resolution, headers and body together, as the format says. */
export const SNAP_TIMEOUT_MS = 5_000
const MAX_ERROR_CHARACTERS = 300
/** Lists and objects in each other. */
const MAX_DEPTH = 32

export const isSnapType = (contentType: string): boolean =>
  contentType.split(';', 1)[0]!.trim().toLowerCase() === SNAP_TYPE

/** The URL of the snap that a Link header names (RFC 8288): rel="alternate" with the type of snaps. */
export function snapLink(header: string | undefined, page: URL): URL | undefined {
  // Each link begins with its URL in angle brackets.
  for (const link of (header ?? '').split('<').slice(1)) {
    const end = link.indexOf('>')
    if (end < 0) continue
    const named = new Map(
      [...link.slice(end).matchAll(PARAMETER)].map(([, name, quoted, bare]) => [
        name!.toLowerCase(),
        (quoted ?? bare)!.toLowerCase(),
      ]),
    )
    const isAlternate = named.get('rel')?.split(/\s+/).includes('alternate')
    if (isAlternate && named.get('type') === SNAP_TYPE) {
      return URL.parse(link.slice(0, end), page.href) ?? undefined
    }
  }
  return undefined
}
const PARAMETER = /;\s*([\w!#$&+\-.^`|~*]+)\s*=\s*(?:"([^"]*)"|([^\s",;]+))/g

/** Reads the body of an answer that has the type of snaps. */
export function readAnswer(
  bytes: Uint8Array,
  terms: { readonly allowLoopback: boolean },
): ReadPage {
  const refuse = (fault: SnapFault) => ({ page: undefined, faults: [fault] })
  if (bytes.length > MAX_SNAP_BYTES) {
    const fix = `Keep it below ${MAX_SNAP_BYTES / 1024} KiB; link pictures instead of embedding them.`
    return refuse(error('size', `the answer has more than ${MAX_SNAP_BYTES} bytes`, fix))
  }
  try {
    const document = jsonOf(bytes)
    if (isDeeperThan(MAX_DEPTH, document)) {
      return refuse(
        error('size', `the answer nests more than ${MAX_DEPTH} levels`, 'Nest less deeply.'),
      )
    }
    return readPage(document, terms)
  } catch (failure) {
    const why = failure instanceof SyntaxError ? failure.message.slice(0, 200) : 'it is not UTF-8'
    return refuse(error('json', `the answer is not JSON: ${why}`, 'Mend the JSON.'))
  }
}

const jsonOf = (bytes: Uint8Array): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))

/** POST: a press. GET: the page as this viewer sees it. */
export type SignedMethod = 'GET' | 'POST'

/** What the server of a snap answered to what a user has signed. */
export type PressAnswer = {
  readonly status: number
  /** Of its body. */
  readonly bytes: number
  /** The next page. */
  readonly read?: ReadPage
  /** What the server says, of an answer that is not 200. */
  readonly error?: string
}

/** Sends what a user has signed. A Rejection says why there was no answer. Redirects are not followed: the audience is one origin. */
export async function sendSigned(
  method: SignedMethod,
  target: URL,
  jfs: Jfs,
  rules: OutgoingRules,
  stop: AbortSignal,
): Promise<PressAnswer> {
  return pressAnswerOf(await askServer(target, signedRequest(method, jfs), rules, stop), rules)
}

/** A request to the server of a snap. */
export type SnapRequest = {
  readonly method: SignedMethod
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What it answered; of its body no more than a byte above the bound. */
export type SnapResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One exchange. A Rejection says why there was no answer. */
export async function askServer(
  target: URL,
  request: SnapRequest,
  rules: OutgoingRules,
  stop?: AbortSignal,
): Promise<SnapResponse> {
  const timeout = AbortSignal.timeout(SNAP_TIMEOUT_MS)
  const signal = stop ? AbortSignal.any([stop, timeout]) : timeout
  const headers = { 'accept-encoding': 'identity', ...request.headers }
  const response = await requestOutgoing(target, rules, { ...request, headers, signal })
  try {
    const { statusCode: status = 0, headers } = response
    return { status, headers, body: await bodyOf(response) }
  } catch (failure) {
    throw outgoingFailure(target, rules.field, failure, signal)
  } finally {
    response.destroy()
  }
}

/** The request with what a user has signed. */
export function signedRequest(method: SignedMethod, jfs: Jfs): SnapRequest {
  const { header, payload, signature } = jfs
  if (method === 'GET') {
    const compact = `${header}.${payload}.${signature}`
    return { method, headers: { accept: SNAP_TYPE, [SNAP_PAYLOAD_HEADER]: compact } }
  }
  const body = JSON.stringify({ header, payload, signature })
  const headers = {
    accept: SNAP_TYPE,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  return { method, headers, body }
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of response) {
    pieces.push(piece)
    size += piece.length
    if (size > MAX_SNAP_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, MAX_SNAP_BYTES + 1)
}

/** What an answer means to whoever has pressed. */
export function pressAnswerOf(
  { status, headers, body: bytes }: SnapResponse,
  { allowLoopback }: Pick<OutgoingRules, 'allowLoopback'>,
): PressAnswer {
  const answer = { status, bytes: bytes.length }
  if (status !== 200)
    return { ...answer, error: errorIn(bytes) ?? `The server answered ${status}.` }
  const read = readAnswer(bytes, { allowLoopback })
  if (isSnapType(headers['content-type'] ?? '')) return { ...answer, read }
  const given = headers['content-type']?.slice(0, 100) ?? 'no content type'
  const fault = error(
    'content-type',
    `the answer has ${given}`,
    `Answer with content-type: ${SNAP_TYPE}.`,
  )
  return { ...answer, read: { page: undefined, faults: [fault] } }
}

/** The text of `{ "error": … }`. */
function errorIn(bytes: Uint8Array): string | undefined {
  try {
    const { error: text } = jsonOf(bytes) as { error?: unknown }
    return typeof text === 'string' && text !== '' ? text.slice(0, MAX_ERROR_CHARACTERS) : undefined
  } catch {
    return undefined
  }
}

/** Refuses what is no URL of a server that may be asked. */
export function targetOf(text: string, field: string): URL {
  const url = URL.parse(text)
  if (url) return url
  throw new Rejection('bad_request.validation_failure', `${field} must be a URL`, { field })
}
