/** 2^32 divided by the golden ratio: the upper bits of a product with it differ also for ids that follow each other. */
const SPREAD = 0x9e3779b1

/**
 * Which ids were asked for before, among about the last `count`. May forget one early, and takes another id for it
 * only when the lower 32 bits are the same.
 */
export class AskedLately {
  readonly #ids: Uint32Array
  readonly #shift: number

  constructor(count: number) {
    const bits = Math.max(1, Math.ceil(Math.log2(count)))
    this.#ids = new Uint32Array(2 ** bits)
    this.#shift = 32 - bits
  }

  /** Whether the id was asked for lately. From now on it was. */
  again(id: number): boolean {
    const low = id >>> 0
    // The lower 12 bits of most ids are zero: they are numbers within a millisecond.
    const place = Math.imul(low ^ (low >>> 12), SPREAD) >>> this.#shift
    const isKnown = this.#ids[place] === low
    this.#ids[place] = low
    return isKnown
  }
}
