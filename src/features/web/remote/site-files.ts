import { Semaphore, type SemaphoreLimits } from '../../../kernel/base/concurrency.ts'
import {
  type FileRequest,
  fetchFile,
  type OutgoingFile,
} from '../../../kernel/http/files/outgoing-file.ts'
import type { Lookup } from '../../../kernel/http/outgoing.ts'
import { clientOf } from '../../../kernel/limits/client.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'

// Files of other sites that people link to, fetched for browsers, which then tell those sites nothing.

/** The query parameter, and the field that refusals name. */
export const URL_FIELD = 'url'
/** For name resolution, redirects, headers and body together. */
const FETCH_TIMEOUT_MS = 8_000
/** When a client may ask again for a file that others had to wait for. */
const RETRY_SECONDS = 5
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
  /** Fetches a file for the client with this address; to be called by limited work. */
  fetch(url: URL, request: SiteFileRequest): Promise<OutgoingFile>
}
export type SiteFileRequest = Omit<FileRequest, 'signal'> & { readonly ip: string }

export function createSiteFiles(rules: SiteFileRules): SiteFiles {
  const semaphore = new Semaphore(LIMITS)
  const fetches = new Fetches()
  return {
    runLimited: (ip, work) => {
      const client = clientOf(ip)
      if (semaphore.running >= LIMITS.running) fetches.makeRoomFor(client)
      return fetches.count(client, () => semaphore.run(client, work))
    },
    fetch: (url, { ip, ...request }) =>
      fetches.run(clientOf(ip), (isOver) => {
        const signal = AbortSignal.any([
          isOver,
          AbortSignal.timeout(rules.timeoutMs ?? FETCH_TIMEOUT_MS),
        ])
        return fetchFile(url, { ...rules, field: URL_FIELD }, { ...request, signal })
      }),
  }
}

type Fetch = { readonly client: string; readonly controller: AbortController }

/** Files that are being fetched. Slow sites of a few clients hold up nobody else. */
class Fetches {
  /** The oldest first. */
  readonly #underWay = new Set<Fetch>()
  /** Works of each client that wait or run. */
  readonly #workOf = new Map<string, number>()

  async count<T>(client: string, work: () => Promise<T>): Promise<T> {
    const add = (change: number) => {
      const left = (this.#workOf.get(client) ?? 0) + change
      if (left > 0) this.#workOf.set(client, left)
      else this.#workOf.delete(client)
    }
    add(1)
    return work().finally(() => add(-1))
  }

  /** The client with the most loses its oldest file to one with fewer. */
  makeRoomFor(client: string): void {
    const own = this.#workOf.get(client) ?? 0
    const lists = Map.groupBy(this.#underWay, (one) => one.client).values()
    const most = [...lists].reduce(
      (longest, one) => (one.length > longest.length ? one : longest),
      [],
    )
    if (most.length <= own + 1) return
    this.#underWay.delete(most[0]!)
    most[0]!.controller.abort()
  }

  async run<T>(client: string, fetch: (isOver: AbortSignal) => Promise<T>): Promise<T> {
    const one = { client, controller: new AbortController() }
    const { signal } = one.controller
    this.#underWay.add(one)
    try {
      return await fetch(signal)
    } catch (error) {
      // This says nothing about the file.
      if (!signal.aborted) throw error
      const text = 'others wait for files of other sites, and this one was slow; try again'
      throw new Rejection('unavailable.overloaded', text, { retryAfterSeconds: RETRY_SECONDS })
    } finally {
      this.#underWay.delete(one)
    }
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
