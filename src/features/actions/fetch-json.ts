import { fetchFile, isJsonType } from '../../kernel/http/files/outgoing-file.ts'
import {
  checkUrl as checkOutgoingUrl,
  type Lookup,
  urlRefused,
} from '../../kernel/http/outgoing.ts'

// Fetches the JSON document of an action from a URL that a third party chose.

/** For name resolution, redirects, headers and body together. */
const FETCH_TIMEOUT_MS = 5_000
/** A document has seven short fields. */
export const MAX_DOCUMENT_BYTES = 64 * 1024

export type FetchOptions = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  readonly lookup?: Lookup
  readonly timeoutMs?: number
}

/** The field that refusals name. */
const FIELD = 'actionUrl'

/** Fetches JSON. Every failure is a Rejection that states the cause. */
export async function fetchJson(url: URL, options: FetchOptions): Promise<unknown> {
  const { url: at, bytes } = await fetchFile(
    url,
    { ...options, field: FIELD },
    {
      accept: 'application/json',
      maxBytes: MAX_DOCUMENT_BYTES,
      refuseType,
      signal: AbortSignal.timeout(options.timeoutMs ?? FETCH_TIMEOUT_MS),
    },
  )
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw urlRefused(at, FIELD, 'did not answer with JSON')
  }
}

/** Throws unless the URL is allowed as far as its text shows. */
export const checkUrl = (url: URL, { allowLoopback }: Pick<FetchOptions, 'allowLoopback'>): void =>
  checkOutgoingUrl(url, { allowLoopback, field: FIELD })

const refuseType = (contentType: string): string | undefined =>
  isJsonType(contentType) ? undefined : 'did not answer with application/json'
