import type http from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { CookieJar } from 'tough-cookie'
import type { Rejection } from '../../protocol/rejection.ts'
import { KIB } from '../../protocol/sizes.ts'
import { type OutgoingRules, outgoingFailure, requestOutgoing, urlRefused } from '../outgoing.ts'

/** A file of another site. */
export type OutgoingFile = {
  /** Where it was after all redirects. */
  readonly url: URL
  /** Its Content-Type; not to be trusted. */
  readonly type: string
  /** Its Link header; not to be trusted. */
  readonly link?: string
  readonly bytes: Uint8Array
  /** Why there are no more bytes of a file that `mayBreakOff`. */
  readonly failure?: Rejection
}

export type FileRequest = {
  /** The Accept header. */
  readonly accept: string
  /** A longer file is refused, or cut off with `isCut`. Holds for the bytes sent and for the decompressed ones. */
  readonly maxBytes: number
  readonly isCut?: boolean
  /** What came before the connection broke or the time was over is answered, with the `failure`. */
  readonly mayBreakOff?: boolean
  /** How many redirects are followed, and what is told before each; MAX_REDIRECTS without it. */
  readonly redirects?: { readonly max: number; readonly onEach: () => void }
  /** Called before so many bytes are held in all, first between head and body; resolves once they may be. */
  readonly acquire?: (bytes: number) => Promise<void>
  /** Says what is wrong about a Content-Type, before the file is read. */
  readonly refuseType?: (type: string) => string | undefined
  /** Bounds name resolution, redirects, headers and body together. */
  readonly signal: AbortSignal
}

export const MAX_REDIRECTS = 3
/** Room for a file that does not state its length; it grows as the file does. */
const FIRST_BYTES = 64 * KIB
const REDIRECTS = [301, 302, 303, 307, 308]

/** Fetches a file. Every redirect is checked like the first URL. Every failure is a Rejection that states the cause. */
export async function fetchFile(
  url: URL,
  rules: OutgoingRules,
  request: FileRequest,
): Promise<OutgoingFile> {
  const { signal, redirects } = request
  const max = redirects?.max ?? MAX_REDIRECTS
  // Sites that set a cookie and redirect to themselves do so until it comes back. It is forgotten with the file.
  const cookies = new CookieJar()
  let at = url
  for (let followed = 0; followed <= max; followed++) {
    const headers = headersFor(at, request.accept, cookies)
    const response = await requestOutgoing(at, rules, { method: 'GET', headers, signal })
    try {
      const next = redirectOf(response, at, rules)
      if (!next) return await readFile(response, at, rules, request)
      for (const cookie of response.headers['set-cookie'] ?? []) {
        cookies.setCookieSync(cookie, at.href, { ignoreError: true })
      }
      at = next
      redirects?.onEach()
    } finally {
      response.destroy()
    }
  }
  throw urlRefused(url, rules.field, `redirects more than ${max} times`)
}

function headersFor(url: URL, accept: string, cookies: CookieJar): Record<string, string> {
  const cookie = cookies.getCookieStringSync(url.href)
  return { accept, 'accept-encoding': 'identity', ...(cookie && { cookie }) }
}

function redirectOf(
  { statusCode = 0, headers }: http.IncomingMessage,
  from: URL,
  { field }: OutgoingRules,
): URL | undefined {
  if (!REDIRECTS.includes(statusCode)) return undefined
  const next = locationOf(headers, from)
  if (!next) throw urlRefused(from, field, 'redirects to nowhere')
  return next
}

/** The URL in a Location header. Bytes that are not ASCII are escaped as they are, as browsers do. */
export function locationOf({ location }: http.IncomingHttpHeaders, from: URL): URL | null {
  // Node gives one character for each byte.
  const escaped = location?.replace(/[\x80-\xff]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase()}`
  })
  return escaped === undefined ? null : URL.parse(escaped, from.href)
}

async function readFile(
  response: http.IncomingMessage,
  url: URL,
  { field }: OutgoingRules,
  request: FileRequest,
): Promise<OutgoingFile> {
  const refused = (what: string): Rejection => urlRefused(url, field, what)
  const { statusCode, headers } = response
  if (statusCode !== 200) throw refused(`answered ${statusCode}`)
  const type = headers['content-type'] ?? ''
  const fault = request.refuseType?.(type)
  if (fault) throw refused(fault)
  const encoding = contentEncodingOf(headers)
  const decoder = DECODERS[encoding]
  if (!decoder && encoding !== 'identity') throw refused(`answered in the encoding ${encoding}`)
  const { isCut = false, maxBytes } = request
  const tooLong = () => refused(`answered more than ${maxBytes} bytes`)
  if (!isCut && Number(headers['content-length']) > maxBytes) throw tooLong()
  const body = decoder
    ? pipeline(bounded(response, maxBytes, tooLong), decoder(), ignore)
    : response
  const statedBytes = Number(headers['content-length']) || 0
  const { bytes, isLonger, error } = await readBeginning(body, { ...request, statedBytes })
  if (isLonger && !isCut) throw tooLong()
  const link = [headers.link ?? []].flat().join(', ')
  const file = { url, type, ...(link && { link }), bytes }
  if (error === undefined) return file
  const failure =
    decoder && isBrokenCode(error)
      ? refused(`answered in the encoding ${encoding}, which is broken`)
      : outgoingFailure(url, field, error, request.signal)
  if (!request.mayBreakOff) throw failure
  return { ...file, failure }
}

type Beginning = { readonly bytes: Buffer; readonly isLonger: boolean; readonly error?: unknown }

/**
 * The body to a number of bytes, and what ended it before. Its pieces are copied into one buffer, because one of a few
 * bytes holds much more memory than it has bytes.
 */
async function readBeginning(
  body: Readable,
  { maxBytes, statedBytes, acquire }: FileRequest & { readonly statedBytes: number },
): Promise<Beginning> {
  let kept = Buffer.alloc(0)
  let size = 0
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      const needed = Math.min(size + piece.length, maxBytes)
      if (needed > kept.length) {
        const capacity = Math.max(needed, statedBytes, FIRST_BYTES, 2 * kept.length)
        const grown = Math.min(capacity, maxBytes)
        await acquire?.(grown)
        kept = Buffer.concat([kept], grown)
      }
      piece.copy(kept, size)
      if (size + piece.length > maxBytes) return { bytes: kept, isLonger: true }
      size = needed
    }
  } catch (error) {
    return { bytes: kept.subarray(0, size), isLonger: false, error }
  }
  return { bytes: kept.subarray(0, size), isLonger: false }
}

/** Compressed bytes may be many and decompress to none. */
async function* bounded(body: Readable, maxBytes: number, tooLong: () => Rejection) {
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > maxBytes) throw tooLong()
    yield piece
  }
}

/** Whoever reads the stream gets its errors. */
const ignore = () => {}

/** Of zlib, whose codes begin so. */
const isBrokenCode = (error: unknown) =>
  /^(?:Z|ERR)_/.test(String((error as NodeJS.ErrnoException).code))

/** What sites send although none was asked for. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
const MAX_ENCODING_CHARACTERS = 40

const contentEncodingOf = (headers: http.IncomingHttpHeaders): string =>
  headers['content-encoding']?.trim().toLowerCase().slice(0, MAX_ENCODING_CHARACTERS) || 'identity'

/** Whether a Content-Type is JSON or a kind of it. */
export const isJsonType = (contentType: string): boolean =>
  /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType)
