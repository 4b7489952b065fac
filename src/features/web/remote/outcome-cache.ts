import { LRUCache } from 'lru-cache'
import { Rejection } from '../../../kernel/protocol/rejection.ts'

export type OutcomeCacheOptions<V extends object> = {
  readonly maxBytes: number
  readonly bytesOf: (value: V) => number
  readonly ttlMs: number
  /** Time for which a refusal of a site's answer is cached. */
  readonly refusalTtlMs: number
  /** Other refusals that are cached, for the time that they name. */
  readonly isKeptBriefly?: (error: Rejection) => boolean
}

/** Runs work once the limits of a client allow it. */
export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>

export type OutcomeCache<V extends object> = {
  /**
   * The cached value of a key, else what `make` returns within the limits of the caller. Callers share a call of `make` that
   * has begun, but do not wait for one that has not: it may wait behind other requests of its client.
   */
  get(key: string, runLimited: RunLimited, make: () => Promise<V>): Promise<V>
  /** The cached value, if there is one. */
  peek(key: string): V | undefined
}

/** Upper bound of the overhead of an entry. */
const OVERHEAD_BYTES = 500

/** Caches results and refusals of files of other sites, in bounded memory. */
export function createOutcomeCache<V extends object>(
  options: OutcomeCacheOptions<V>,
): OutcomeCache<V> {
  const { maxBytes, bytesOf, ttlMs, refusalTtlMs, isKeptBriefly = () => false } = options
  const cache = new LRUCache<string, V | Rejection>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) =>
      OVERHEAD_BYTES + key.length + (value instanceof Rejection ? 0 : bytesOf(value)),
  })
  const making = new Map<string, Promise<V>>()

  async function makeNow(key: string, make: () => Promise<V>): Promise<V> {
    try {
      const value = await make()
      cache.set(key, value, { ttl: ttlMs })
      return value
    } catch (error) {
      if (!(error instanceof Rejection)) throw error
      if (isAboutTheFile(error)) cache.set(key, error, { ttl: refusalTtlMs })
      else if (isKeptBriefly(error))
        cache.set(key, error, { ttl: 1_000 * error.retryAfterSeconds! })
      throw error
    }
  }

  function begin(key: string, make: () => Promise<V>): Promise<V> {
    const begun = makeNow(key, make).finally(() => making.delete(key))
    making.set(key, begun)
    return begun
  }

  /** A cached value or a running call. */
  function find(key: string): V | Promise<V> | undefined {
    const found = cache.get(key)
    if (found instanceof Rejection) throw found
    return found ?? making.get(key)
  }

  return {
    async get(key, runLimited, make) {
      const known = find(key)
      if (known) return known
      const { outcome } = await runLimited(async () => {
        // Another client may have begun it meanwhile. A promise in an object is not awaited here, so this work ends at once.
        const outcome = find(key) ?? (await begin(key, make))
        return { outcome }
      })
      return outcome
    },
    peek(key) {
      const found = cache.get(key)
      return found instanceof Rejection ? undefined : found
    },
  }
}

/** Other refusals, as by rate limits, are not about the file. */
const isAboutTheFile = ({ code }: Rejection): boolean => code.startsWith('bad_request')
