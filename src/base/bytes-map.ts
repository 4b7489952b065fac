import { randomInt } from 'node:crypto'
import { equalBytes } from '../protocol/codec/bytes.ts'

type Entry<V> = {
  readonly key: Uint8Array
  value: V | undefined
  readonly next: Entry<V> | undefined
}

/**
 * A map whose keys are byte strings, for as many as a batch has. A `Map` wants a text of each, which costs several
 * times as much as the rest: it copies the bytes, and looks the text up among all texts of the thread.
 */
export class BytesMap<V> {
  readonly #entries = new Map<number, Entry<V>>()

  get(key: Uint8Array): V | undefined {
    return this.#entryOf(key)?.value
  }

  set(key: Uint8Array, value: V | undefined): void {
    const entry = this.#entryOf(key)
    if (entry) entry.value = value
    else {
      const hash = hashOf(key)
      this.#entries.set(hash, { key, value, next: this.#entries.get(hash) })
    }
  }

  #entryOf(key: Uint8Array): Entry<V> | undefined {
    let entry = this.#entries.get(hashOf(key))
    while (entry && !equalBytes(entry.key, key)) entry = entry.next
    return entry
  }
}

/** Random in each thread, so that keys with equal hashes are hard to choose. How many a map has is bounded by its batch. */
const HASH_START = randomInt(2 ** 32)

/** FNV-1a of 30 bits, which V8 holds without an object. */
function hashOf(bytes: Uint8Array): number {
  let hash = HASH_START
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash >>> 2
}
