import { Semaphore, type SemaphoreLimits } from '../../../kernel/base/concurrency.ts'
import {
  type FileRequest,
  fetchFile,
  type OutgoingFile,
} from '../../../kernel/http/files/outgoing-file.ts'
import type { Lookup } from '../../../kernel/http/outgoing.ts'
import { networkOf } from '../../../kernel/limits/client.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { KIB } from '../../../kernel/protocol/sizes.ts'

// Files of other sites that people link to, fetched for browsers, which then tell those sites nothing.

/** The query parameter, and the field that refusals name. */
export const URL_FIELD = 'url'
/** For name resolution, redirects, headers and body together. */
export const FETCH_TIMEOUT_MS = 8_000
/** When a client may ask again for a file that others had to wait for. */
const RETRY_SECONDS = 5
/** A file that takes longer gives its place to one that waits for it. */
const SLOW_MS = 2_000
/** A page of a preview, and most pictures. */
export const SMALL_BYTES = 512 * KIB

const busy = (text: string) =>
  new Rejection('unavailable.overloaded', text, { retryAfterSeconds: RETRY_SECONDS })
const QUEUE: NonNullable<SemaphoreLimits['queue']> = {
  waiting: 400,
  waitingPerClient: 120,
  timeoutMs: 15_000,
  clientError: () =>
    new Rejection('rate_limited', 'too many files of other sites are requested at once'),
  busyError: () => busy('files of other sites are requested too often'),
}
/** Each holds a connection and up to SMALL_BYTES. A browser opens six connections, a proxy any number. */
const LIMITS: SemaphoreLimits = { running: 16, runningPerClient: 8, queue: QUEUE }
/** Of those the ones that hold more, up to MAX_PICTURE_BYTES: 30.5 MiB in all. */
const LARGE_LIMITS: SemaphoreLimits = { running: 3, runningPerClient: 2, queue: QUEUE }

export type SiteFileRules = {
  /** Allows loopback addresses over http at any port, for development networks. */
  readonly allowLoopback: boolean
  readonly lookup?: Lookup
  readonly timeoutMs?: number
  readonly slowMs?: number
}

/** A file, and the address of the client that it is for. */
type Asked = { readonly url: URL; readonly ip: string }

/** Waits until so many bytes of a file may be held in all. */
export type Acquire = (bytes: number) => Promise<void>

/** How a file is read: bytes are acquired before they are held, and it ends with the signal. */
export type Reading = { readonly acquire: Acquire; readonly signal: AbortSignal }

export type SiteFiles = {
  /** Runs work on a file when the client with this address, and all together, have fewer running than the bounds. */
  runLimited<T>(asked: Asked, work: () => Promise<T>): Promise<T>
  /** Reads a file and uses it; what was acquired counts until both have ended. To be called by limited work. */
  read<F, T>(
    asked: Asked,
    read: (reading: Reading) => Promise<F>,
    use: (file: F) => T | Promise<T>,
  ): Promise<T>
  /** Fetches a file and uses it, in the same way. */
  fetch<T>(
    url: URL,
    request: SiteFileRequest,
    use: (file: OutgoingFile) => T | Promise<T>,
  ): Promise<T>
}
export type SiteFileRequest = Omit<FileRequest, 'signal' | 'acquire'> & { readonly ip: string }

export function createSiteFiles(rules: SiteFileRules): SiteFiles {
  const { timeoutMs = FETCH_TIMEOUT_MS, slowMs = SLOW_MS } = rules
  const places = new Places(LIMITS, slowMs)
  const largePlaces = new Places(LARGE_LIMITS, slowMs)
  const files: SiteFiles = {
    async runLimited(asked, work) {
      const release = await places.acquire(sharerOf(asked))
      return work().finally(release)
    },
    async read(asked, read, use) {
      const controller = new AbortController()
      const holder = { ...sharerOf(asked), controller }
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutMs)])
      let release: (() => void) | undefined
      const acquire = async (bytes: number) => {
        if (bytes <= SMALL_BYTES || release) return
        release = await largePlaces.acquire(sharerOf(asked), signal)
        largePlaces.watch(holder)
      }
      places.watch(holder)
      try {
        const file = await read({ acquire, signal }).finally(() => {
          places.unwatch(holder)
          largePlaces.unwatch(holder)
        })
        return await use(file)
      } catch (error) {
        // This says nothing about the file.
        if (!controller.signal.aborted) throw error
        throw busy('others wait for files of other sites, and this one was slow; try again')
      } finally {
        release?.()
      }
    },
    fetch: (url, { ip, ...request }, use) =>
      files.read(
        { url, ip },
        (reading) => fetchFile(url, { ...rules, field: URL_FIELD }, { ...request, ...reading }),
        use,
      ),
  }
  return files
}

/** Between whom places are shared: networks of clients, and sites. */
type Sharer = { readonly client: string; readonly site: string }
/** A file that is being read, and may be ended for others. */
type Holder = Sharer & { readonly controller: AbortController }

const sharerOf = ({ url, ip }: Asked): Sharer => ({ client: networkOf(ip), site: url.host })

/** Places for works on files. Slow sites, and the files of a few clients, hold up nobody else. */
class Places {
  readonly #limits: SemaphoreLimits
  readonly #slowMs: number
  readonly #semaphore: Semaphore
  readonly #waiting = new Set<Sharer>()
  /** Works of each client, and those on files of each site, that wait or have a place. */
  readonly #works = { client: new Map<string, number>(), site: new Map<string, number>() }
  /** The oldest first, each with the timer after which it is slow. */
  readonly #holders = new Map<Holder, NodeJS.Timeout>()
  readonly #slow = new Set<Holder>()

  constructor(limits: SemaphoreLimits, slowMs: number) {
    this.#limits = limits
    this.#slowMs = slowMs
    this.#semaphore = new Semaphore(limits)
  }

  /** Waits for a place, and resolves to what gives it back. */
  async acquire(sharer: Sharer, signal?: AbortSignal): Promise<() => void> {
    this.#count(sharer, 1)
    this.#waiting.add(sharer)
    const isFirst = this.#isFull && this.#makeRoomFor(sharer)
    try {
      const release = await this.#semaphore.acquire(sharer.client, { isFirst, signal })
      return () => {
        this.#count(sharer, -1)
        release()
      }
    } catch (error) {
      this.#count(sharer, -1)
      throw signal?.aborted ? QUEUE.busyError() : error
    } finally {
      this.#waiting.delete(sharer)
    }
  }

  /** Lets the file of a work that has a place be ended for others. */
  watch(holder: Holder): void {
    this.#holders.set(
      holder,
      setTimeout(() => this.#becomeSlow(holder), this.#slowMs),
    )
  }

  unwatch(holder: Holder): void {
    clearTimeout(this.#holders.get(holder))
    this.#holders.delete(holder)
    this.#slow.delete(holder)
  }

  get #isFull(): boolean {
    return this.#semaphore.running >= this.#limits.running
  }

  #count(sharer: Sharer, change: number): void {
    for (const by of ['client', 'site'] as const) {
      const left = this.#worksOf(sharer, by) + change
      if (left > 0) this.#works[by].set(sharer[by], left)
      else this.#works[by].delete(sharer[by])
    }
  }

  #worksOf(sharer: Sharer, by: keyof Sharer): number {
    return this.#works[by].get(sharer[by]) ?? 0
  }

  /** The client with the most, else the site with the most, loses its oldest file to one with fewer; else the oldest slow one ends. */
  #makeRoomFor(sharer: Sharer): boolean {
    const ended =
      this.#oldestOfMost(sharer, 'client') ??
      this.#oldestOfMost(sharer, 'site') ??
      [...this.#slow].find((holder) => this.#mayEnd(holder, sharer))
    ended?.controller.abort()
    return ended !== undefined
  }

  #oldestOfMost(sharer: Sharer, by: keyof Sharer): Holder | undefined {
    const others = [...this.#holders.keys()].filter((holder) => this.#mayEnd(holder, sharer))
    const most = [...Map.groupBy(others, (holder) => holder[by]).values()].reduce(
      (longest, one) => (one.length > longest.length ? one : longest),
      [],
    )
    return most.length > this.#worksOf(sharer, by) ? most[0] : undefined
  }

  #becomeSlow(holder: Holder): void {
    this.#slow.add(holder)
    if (!this.#isFull) return
    if ([...this.#waiting].some((sharer) => this.#mayEnd(holder, sharer))) holder.controller.abort()
  }

  /** Nobody takes the place of a client with fewer works, as by asking for files of many sites. */
  #mayEnd(holder: Holder, sharer: Sharer): boolean {
    // A client at its limit could use no place but one of its own.
    if (holder.client !== sharer.client && this.#semaphore.isAtLimit(sharer.client)) return false
    const besides = this.#worksOf(sharer, 'client') - 1
    return !holder.controller.signal.aborted && this.#worksOf(holder, 'client') >= besides
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
