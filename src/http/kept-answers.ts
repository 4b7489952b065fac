import { LRUCache } from 'lru-cache'
import { inOnePiece, textLength } from './one-byte-body.ts'
import type { Answer } from './route.ts'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The largest answer that is kept, as a share of the memory for all of them. */
const LARGEST_SHARE = 1 / 4

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

  /** Keeps an answer that is given now, perhaps. Returns it as it is to be sent: in one piece when it is kept. */
  note(url: string, given: KeptAnswer & { readonly answer: Answer }): Answer {
    const isRepeated = this.#kept.peek(url)?.version === given.version
    const answer = isRepeated ? inOnePiece(given.answer) : given.answer
    this.#kept.set(url, { ...given, answer: isRepeated ? answer : undefined })
    return answer
  }
}

const bodyBytes = (answer: Answer | undefined): number =>
  answer?.body instanceof Uint8Array ? answer.body.length : textLength(answer?.body ?? '')
