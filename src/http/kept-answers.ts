import { LRUCache } from 'lru-cache'
import { inOnePiece, MAX_JOINED_BYTES, textLength } from './one-byte-body.ts'
import type { Answer } from './route.ts'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The largest answer that is kept, as a share of the memory for all of them. */
const LARGEST_SHARE = 1 / 4
/** What answers that were given once may have of the memory. They are short texts. */
const ONCE_SHARE = 1 / 8

/** An answer that was given before, and what it is asked for with. */
export type KeptAnswer = {
  readonly query: object
  /** It is the answer as long as its route names this version for its query. */
  readonly version: number
  readonly units: number
  /** Undefined while it was given only once, unless it is a short text: others would have to be copied. */
  readonly answer: Answer | undefined
}

/**
 * An LRU cache of answers by their url, bounded in bytes. Answers that were given once have a part of the memory of their
 * own, so that a scan of everything does not evict what many ask for.
 */
export class KeptAnswers {
  readonly #once: LRUCache<string, KeptAnswer>
  readonly #often: LRUCache<string, KeptAnswer>

  constructor(maxBytes: number) {
    const largest = maxBytes * LARGEST_SHARE
    this.#once = answersOf(maxBytes * ONCE_SHARE, largest)
    this.#often = answersOf(maxBytes * (1 - ONCE_SHARE), largest)
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#once.calculatedSize + this.#often.calculatedSize
  }

  find(url: string): KeptAnswer | undefined {
    const often = this.#often.get(url)
    if (often) return often
    const once = this.#once.get(url)
    if (once?.answer) this.#keepOften(url, once)
    return once
  }

  /** Keeps an answer that is given now, perhaps. Returns it as it is to be sent: in one piece when it is kept. */
  note(url: string, given: KeptAnswer & { readonly answer: Answer }): Answer {
    const often = this.#often.peek(url)
    const isRepeated = (often ?? this.#once.peek(url))?.version === given.version
    const answer = isRepeated ? inOnePiece(given.answer) : given.answer
    if (isRepeated) this.#keepOften(url, { ...given, answer })
    else {
      const kept = isSmall(answer) ? given : { ...given, answer: undefined }
      ;(often ? this.#often : this.#once).set(url, kept)
    }
    return answer
  }

  #keepOften(url: string, kept: KeptAnswer): void {
    this.#once.delete(url)
    this.#often.set(url, kept)
  }
}

const answersOf = (maxBytes: number, largest: number) =>
  new LRUCache<string, KeptAnswer>({
    maxSize: Math.floor(maxBytes),
    maxEntrySize: Math.floor(largest),
    sizeCalculation: ({ answer }, url) => bodyBytes(answer) + url.length + OVERHEAD_BYTES,
  })

/** Whether an answer is kept from the first time on: a text that need not be copied. */
const isSmall = ({ body }: Answer): boolean =>
  typeof body === 'string' && body.length <= MAX_JOINED_BYTES

const bodyBytes = (answer: Answer | undefined): number =>
  answer?.body instanceof Uint8Array ? answer.body.length : textLength(answer?.body ?? '')
