import { LRUCache } from 'lru-cache'
import { inOnePiece, MAX_JOINED_BYTES, textLength } from './one-byte-body.ts'
import type { Answer } from './route.ts'

/** What the objects of one answer occupy besides its body, generously. */
const OVERHEAD_BYTES = 500
/** The largest answer that is kept, as a share of the memory for all of them. */
const LARGEST_SHARE = 1 / 4
/** What answers that were given once may have of the memory. They are short texts. */
const ONCE_SHARE = 3 / 16

/** An answer that was given before, and what it is asked for with. */
export type KeptAnswer = {
  readonly query: object
  /** It is the answer as long as its route names this version for its query. */
  readonly version: number
  readonly units: number
  /** Undefined while it was given only once, unless it is a short text: others would have to be copied. */
  readonly answer: Answer | undefined
}

type Kept = KeptAnswer & { readonly url: string }

/**
 * Answers by their url, bounded in bytes. Answers that were given once have a part of the memory of their own, so that a scan
 * of everything does not evict what many ask for.
 */
export class KeptAnswers {
  readonly #once: Newest<Kept>
  readonly #often: LRUCache<number, Kept>

  constructor(maxBytes: number) {
    this.#once = new Newest(Math.floor(maxBytes * ONCE_SHARE))
    this.#often = new LRUCache<number, Kept>({
      maxSize: Math.floor(maxBytes * (1 - ONCE_SHARE)),
      maxEntrySize: Math.floor(maxBytes * LARGEST_SHARE),
      sizeCalculation: sizeOf,
    })
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#once.bytes + this.#often.calculatedSize
  }

  find(url: string): KeptAnswer | undefined {
    const key = keyOf(url)
    const often = this.#often.get(key)
    if (often?.url === url) return often
    const once = this.#once.get(key)
    if (once?.url !== url) return undefined
    if (once.answer) this.#often.set(key, once)
    return once
  }

  /** Keeps an answer that is given now, perhaps. Returns it as it is to be sent: in one piece when it is kept. */
  note(url: string, given: KeptAnswer & { readonly answer: Answer }): Answer {
    const key = keyOf(url)
    const often = this.#often.peek(key)
    const isOften = often?.url === url
    const known = isOften ? often : this.#once.get(key)
    const isRepeated = known?.url === url && known.version === given.version
    const answer = isRepeated ? inOnePiece(given.answer) : given.answer
    const { query, version, units } = given
    const isWhole = isRepeated || isSmall(answer)
    const kept: Kept = { url, query, version, units, answer: isWhole ? answer : undefined }
    if (isRepeated || isOften) this.#often.set(key, kept)
    else this.#once.set(key, kept, sizeOf(kept))
    return answer
  }
}

/**
 * The number of a url. Looking up the url itself costs several times as much, because V8 makes each text that it looks up
 * unique in the process first. Of two urls with one number the later one is kept.
 */
function keyOf(url: string): number {
  let key = 0
  for (let i = 0; i < url.length; i++) key = (Math.imul(key, 31) + url.charCodeAt(i)) | 0
  return key
}

/** What was set last, within a bound in bytes. The older half is forgotten at once, so that nothing is done for each. */
class Newest<V> {
  readonly #maxHalf: number
  #newer = new Map<number, V>()
  #older = new Map<number, V>()
  #newerBytes = 0
  #olderBytes = 0

  constructor(maxBytes: number) {
    this.#maxHalf = maxBytes / 2
  }

  /** Values that were set again count until their half is forgotten. */
  get bytes(): number {
    return this.#newerBytes + this.#olderBytes
  }

  get(key: number): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  set(key: number, value: V, bytes: number): void {
    if (bytes > this.#maxHalf) return
    if (this.#newerBytes + bytes > this.#maxHalf) {
      this.#older = this.#newer
      this.#olderBytes = this.#newerBytes
      this.#newer = new Map()
      this.#newerBytes = 0
    }
    this.#newer.set(key, value)
    this.#newerBytes += bytes
  }
}

const sizeOf = ({ answer, url }: Kept): number => bodyBytes(answer) + url.length + OVERHEAD_BYTES

/** Whether an answer is kept from the first time on: a text that need not be copied. */
const isSmall = ({ body }: Answer): boolean =>
  typeof body === 'string' && body.length <= MAX_JOINED_BYTES

const bodyBytes = (answer: Answer | undefined): number =>
  answer?.body instanceof Uint8Array ? answer.body.length : textLength(answer?.body ?? '')
