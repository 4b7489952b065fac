import { LRUCache } from 'lru-cache'
import type { Answer } from './route.ts'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The share of the bound that one answer may take. */
const LARGEST_SHARE = 1 / 8

/** An answer that was given before, and what it is asked for with. */
export type KeptAnswer = {
  readonly query: object
  /** It is the answer as long as its route names this version for its query. */
  readonly version: number
  readonly units: number
  /** Undefined while it was given only once: what is read once is not worth its memory. */
  readonly answer: Answer | undefined
}

/**
 * Answers by their url, up to a bound in bytes, least recently used first out. They are kept from the second time on
 * that one is given at the same version, so that a scan of everything does not displace what many ask for.
 */
export class KeptAnswers {
  readonly #kept: LRUCache<string, KeptAnswer>

  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
      sizeCalculation: ({ answer }, url) => bodyBytes(answer) + url.length + OVERHEAD_BYTES,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#kept.calculatedSize
  }

  find(url: string): KeptAnswer | undefined {
    return this.#kept.get(url)
  }

  note(url: string, given: KeptAnswer): void {
    const isRepeated = this.#kept.peek(url)?.version === given.version
    this.#kept.set(url, isRepeated ? given : { ...given, answer: undefined })
  }
}

const bodyBytes = (answer: Answer | undefined): number =>
  (answer?.body as string | Uint8Array | undefined)?.length ?? 0
