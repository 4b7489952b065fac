import { HASH_BYTES } from '../../kernel/protocol/sizes.ts'

const FIRST_PLACES = 1_024
const EMPTY = 0xffff_ffff

/** A set of message hashes in 28 to 40 bytes for each: one of a million is no reason to run out of memory. */
export class HashSet {
  #bytes = new Uint8Array(FIRST_PLACES * HASH_BYTES)
  /** By the first bytes of a hash, which are random: its place in `#bytes`. */
  #table = new Uint32Array(2 * FIRST_PLACES).fill(EMPTY)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(hash: Uint8Array): boolean {
    return this.#table[this.#find(hash)] !== EMPTY
  }

  add(hash: Uint8Array): void {
    const at = this.#find(hash)
    if (this.#table[at] !== EMPTY) return
    if (this.#size * HASH_BYTES === this.#bytes.length) {
      this.#grow()
      this.add(hash)
      return
    }
    this.#bytes.set(hash.subarray(0, HASH_BYTES), this.#size * HASH_BYTES)
    this.#table[at] = this.#size++
  }

  *[Symbol.iterator](): Generator<Uint8Array> {
    for (let at = 0; at < this.#size; at++) {
      yield this.#bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
    }
  }

  #find(hash: Uint8Array): number {
    const mask = this.#table.length - 1
    const first = (hash[0]! | (hash[1]! << 8) | (hash[2]! << 16) | (hash[3]! << 24)) >>> 0
    let at = first & mask
    while (this.#table[at] !== EMPTY && !this.#isAt(this.#table[at]!, hash)) at = (at + 1) & mask
    return at
  }

  #isAt(place: number, hash: Uint8Array): boolean {
    for (let i = 0; i < HASH_BYTES; i++) {
      if (this.#bytes[place * HASH_BYTES + i] !== hash[i]) return false
    }
    return true
  }

  #grow(): void {
    const bytes = new Uint8Array(2 * this.#bytes.length)
    bytes.set(this.#bytes)
    this.#bytes = bytes
    this.#table = new Uint32Array(2 * this.#table.length).fill(EMPTY)
    for (let place = 0; place < this.#size; place++) {
      const hash = bytes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
      this.#table[this.#find(hash)] = place
    }
  }
}
