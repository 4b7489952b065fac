import { Semaphore, type SemaphoreLimits } from '../../../kernel/base/concurrency.ts'
import {
  type FileRequest,
  fetchFile,
  type OutgoingFile,
} from '../../../kernel/http/files/outgoing-file.ts'
import type { Lookup } from '../../../kernel/http/outgoing.ts'
import { networkOf } from '../../../kernel/limits/client.ts'
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
  /** Runs work on a file when the client with this address, and all together, have fewer running than the bounds. */
  runLimited<T>(
    file: { readonly url: URL; readonly ip: string },
    work: () => Promise<T>,
  ): Promise<T>
  /** Fetches a file for the client with this address; to be called by limited work. */
  fetch(url: URL, request: SiteFileRequest): Promise<OutgoingFile>
}
export type SiteFileRequest = Omit<FileRequest, 'signal'> & { readonly ip: string }

export function createSiteFiles(rules: SiteFileRules): SiteFiles {
  const semaphore = new Semaphore(LIMITS)
  const fetches = new Fetches()
  return {
    runLimited: ({ url, ip }, work) => {
      const sharer = sharerOf(url, ip)
      if (semaphore.running >= LIMITS.running) fetches.makeRoomFor(sharer)
      return fetches.count(sharer, () => semaphore.run(sharer.client, work))
    },
    fetch: (url, { ip, ...request }) =>
      fetches.run(sharerOf(url, ip), (isOver) => {
        const signal = AbortSignal.any([
          isOver,
          AbortSignal.timeout(rules.timeoutMs ?? FETCH_TIMEOUT_MS),
        ])
        return fetchFile(url, { ...rules, field: URL_FIELD }, { ...request, signal })
      }),
  }
}

/** Between whom the bounds are shared: networks of clients, and sites. */
type Sharer = { readonly client: string; readonly site: string }
type Fetch = Sharer & { readonly controller: AbortController }

const sharerOf = (url: URL, ip: string): Sharer => ({ client: networkOf(ip), site: url.host })

/** Files that are being fetched. Slow sites, and the files of a few clients, hold up nobody else. */
class Fetches {
  /** The oldest first. */
  readonly #underWay = new Set<Fetch>()
  /** Works of each client, and those on files of each site, that wait or run. */
  readonly #works = { client: new Map<string, number>(), site: new Map<string, number>() }

  async count<T>(sharer: Sharer, work: () => Promise<T>): Promise<T> {
    const add = (change: number) => {
      for (const by of ['client', 'site'] as const) {
        const left = this.#worksOf(sharer, by) + change
        if (left > 0) this.#works[by].set(sharer[by], left)
        else this.#works[by].delete(sharer[by])
      }
    }
    add(1)
    return work().finally(() => add(-1))
  }

  /** The client with the most, else the site with the most, loses its oldest file to one with fewer. */
  makeRoomFor(sharer: Sharer): void {
    if (!this.#giveWay(sharer, 'client')) this.#giveWay(sharer, 'site')
  }

  #giveWay(sharer: Sharer, by: keyof Sharer): boolean {
    const own = this.#worksOf(sharer, 'client')
    // Nobody takes the place of a client with fewer by asking for files of many sites.
    const others = [...this.#underWay].filter((one) => this.#worksOf(one, 'client') >= own)
    const most = [...Map.groupBy(others, (one) => one[by]).values()].reduce(
      (longest, one) => (one.length > longest.length ? one : longest),
      [],
    )
    if (most.length <= this.#worksOf(sharer, by) + 1) return false
    this.#underWay.delete(most[0]!)
    most[0]!.controller.abort()
    return true
  }

  #worksOf(sharer: Sharer, by: keyof Sharer): number {
    return this.#works[by].get(sharer[by]) ?? 0
  }

  async run<T>(sharer: Sharer, fetch: (isOver: AbortSignal) => Promise<T>): Promise<T> {
    const one = { ...sharer, controller: new AbortController() }
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
