import { LRUCache } from 'lru-cache'
import { Rejection } from '../../protocol/rejection.ts'

export type OutcomeCacheOptions<V extends object> = {
  readonly maxBytes: number
  readonly bytesOf: (value: V) => number
  readonly ttlMs: number
  /** How long it is remembered that a site does not answer as it should. */
  readonly refusalTtlMs: number
}

export type OutcomeCache<V extends object> = {
  /** The cached value of a key, else what `make` returns; concurrent callers share one call of it. */
  get(key: string, make: () => Promise<V>): Promise<V>
}

/** What objects occupy besides their content, generously. */
const OVERHEAD_BYTES = 500

/** Caches what was made of files of other sites, and refusals of them, in bounded memory. */
export function createOutcomeCache<V extends object>(
  options: OutcomeCacheOptions<V>,
): OutcomeCache<V> {
  const { maxBytes, bytesOf, ttlMs, refusalTtlMs } = options
  const kept = new LRUCache<string, V | Rejection>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) =>
      OVERHEAD_BYTES + key.length + (value instanceof Rejection ? 0 : bytesOf(value)),
  })
  const making = new Map<string, Promise<V>>()

  async function begin(key: string, make: () => Promise<V>): Promise<V> {
    try {
      const value = await make()
      kept.set(key, value, { ttl: ttlMs })
      return value
    } catch (error) {
      if (isAboutTheFile(error)) kept.set(key, error, { ttl: refusalTtlMs })
      throw error
    }
  }

  return {
    async get(key, make) {
      const found = kept.get(key)
      if (found instanceof Rejection) throw found
      if (found) return found
      const shared = making.get(key)
      if (shared) return shared
      const own = begin(key, make).finally(() => making.delete(key))
      making.set(key, own)
      return own
    },
  }
}

/** Not that this server is busy or that the client asked too often. */
const isAboutTheFile = (error: unknown): error is Rejection =>
  error instanceof Rejection && error.code.startsWith('bad_request')
