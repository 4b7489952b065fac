import { Semaphore, type SemaphoreLimits } from '../../base/concurrency.ts'
import { type FileRequest, fetchFile, type OutgoingFile } from '../../http/files/outgoing-file.ts'
import type { Lookup } from '../../http/outgoing.ts'
import { clientOf } from '../../limits/client.ts'
import { Rejection } from '../../protocol/rejection.ts'

// Files of other sites that people link to, fetched for browsers, which then tell those sites nothing.

/** The query parameter, and the field that refusals name. */
export const URL_FIELD = 'url'
/** For name resolution, redirects, headers and body together. */
const FETCH_TIMEOUT_MS = 8_000
/** Each holds a connection and up to MAX_PICTURE_BYTES. A browser opens six connections, a proxy any number. */
const LIMITS: SemaphoreLimits = {
  running: 16,
  runningPerClient: 8,
  queue: {
    waiting: 400,
    waitingPerClient: 120,
    timeoutMs: 15_000,
    clientError: () =>
      new Rejection('rate_limited', 'too many files of other sites are requested at once'),
    busyError: () =>
      new Rejection('unavailable.overloaded', 'files of other sites are requested too often'),
  },
}

export type SiteFileRules = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  readonly lookup?: Lookup
  readonly timeoutMs?: number
}

export type SiteFiles = {
  /** Runs work when the client with this address, and all together, have fewer running than the bounds. */
  runLimited<T>(ip: string, work: () => Promise<T>): Promise<T>
  /** Fetches a file; to be called by limited work. */
  fetch(url: URL, request: Omit<FileRequest, 'signal'>): Promise<OutgoingFile>
}

export function createSiteFiles(rules: SiteFileRules): SiteFiles {
  const semaphore = new Semaphore(LIMITS)
  return {
    runLimited: (ip, work) => semaphore.run(clientOf(ip), work),
    fetch: (url, request) => {
      const signal = AbortSignal.timeout(rules.timeoutMs ?? FETCH_TIMEOUT_MS)
      return fetchFile(url, { ...rules, field: URL_FIELD }, { ...request, signal })
    },
  }
}

/** As many as browsers follow (Fetch standard, HTTP-redirect fetch). */
const MAX_SITE_REDIRECTS = 20
/** The charge for a connection to another site, in bytes of an answer. */
export const CHARGED_BYTES_OF_FETCH = 400_000

/** Redirects as browsers follow them; the client is charged for each connection. */
export const browserRedirects = (consume: (bytes: number) => void): FileRequest['redirects'] => ({
  max: MAX_SITE_REDIRECTS,
  onEach: () => consume(CHARGED_BYTES_OF_FETCH),
})

/** The URL that a request names. */
export function siteUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new Rejection('bad_request.invalid_param', `${URL_FIELD} must be a URL`, {
      field: URL_FIELD,
    })
  }
  const url = new URL(text)
  // Fragments are not sent; without them a file is cached once.
  url.hash = ''
  return url
}
