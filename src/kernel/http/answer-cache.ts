import { LRUCache } from 'lru-cache'
import { LentBytes } from './answer-memory.ts'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The largest answer that is cached, as a share of the memory for all of them. */
const LARGEST_SHARE = 1 / 4
/** Requests that are remembered, which takes 64 KiB. */
const ASKED = 16_384

/** A cached answer, with the query of its request. */
export type CachedAnswer<Q = object> = {
  readonly query: Q
  /** It is right as long as its read has this version for its query. */
  readonly version: number
  readonly body: string | Uint8Array
}

/** An answer that was just read. */
type Fresh<Q> = Omit<CachedAnswer<Q>, 'body'> & { readonly body: CachedAnswer['body'] | LentBytes }

/**
 * Answers of reads by request, bounded in bytes: one cache for all transports. A read that has no version, as on
 * PostgreSQL where other processes write, is never cached.
 */
export class AnswerCache {
  readonly #answers: LRUCache<string, CachedAnswer>
  readonly #asked = new Asked()

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

  /**
   * Caches an answer that was asked for before: one that is asked for once would take the place of another. `version` is that of
   * the moment before it was read.
   */
  put<Q extends object>(key: string, { query, version, body }: Fresh<Q>): void {
    if (this.#asked.isNew(key)) return
    const kept = body instanceof LentBytes ? Buffer.from(body.bytes) : body
    this.#answers.set(key, { query, version, body: kept })
  }
}

/** What was asked for lately, as hashes in a table of a fixed size: one may take the place of another. */
class Asked {
  readonly #hashes = new Uint32Array(ASKED)

  /** Notes that something is asked for, and says whether it was not noted. */
  isNew(key: string): boolean {
    const hash = hashOf(key)
    const at = hash % ASKED
    if (this.#hashes[at] === hash) return false
    this.#hashes[at] = hash
    return true
  }
}

/** FNV-1a of 32 bits. Two keys with one hash only mean that an answer is cached earlier. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
