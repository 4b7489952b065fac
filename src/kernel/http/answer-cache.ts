import { LRUCache } from 'lru-cache'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The largest answer that is cached, as a share of the memory for all of them. */
const LARGEST_SHARE = 1 / 4

/** A cached answer, with the query of its request. */
export type CachedAnswer<Q = object> = {
  readonly query: Q
  /** It is right as long as its read has this version for its query. */
  readonly version: number
  readonly body: string | Uint8Array
}

/**
 * Answers of reads by request, bounded in bytes: one cache for all transports. A read that has no version, as on
 * PostgreSQL where other processes write, is never cached.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, CachedAnswer>

  constructor(maxBytes: number) {
    this.#answers = new LRUCache<string, CachedAnswer>({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
      sizeCalculation: ({ body }, key) => body.length + key.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are cached. */
  get bytes(): number {
    return this.#answers.calculatedSize
  }

  /**
   * The answer to `key`, if its read still has the version that it was given in. One that is stale is forgotten at once: what it
   * says may have been erased.
   */
  find<Q extends object>(
    key: string,
    version: (query: Q) => number | undefined,
  ): CachedAnswer<Q> | undefined {
    const cached = this.#answers.get(key) as CachedAnswer<Q> | undefined
    if (cached && version(cached.query) === cached.version) return cached
    this.#answers.delete(key)
    return undefined
  }

  /** Caches an answer. `version` is that of the moment before it was read. */
  put(key: string, answer: CachedAnswer): void {
    this.#answers.set(key, answer)
  }
}
