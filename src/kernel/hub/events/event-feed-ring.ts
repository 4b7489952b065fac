import type { FeedEntry } from './event-feed-entry.ts'

/**
 * The newest events of the log, within a bound in bytes. It holds every event with an id above `after` up
 * to `newest`: readers at or above `after` need not ask the store.
 */
export class EventRing {
  readonly #maxBytes: number
  /** Those before #first are evicted. */
  #entries: (FeedEntry | undefined)[] = []
  /** Entries before this index are evicted; the array is cut from time to time. */
  #first = 0
  #bytes = 0
  #after: number
  #newest: number

  /** Begins empty after the event with this id. */
  constructor(maxBytes: number, after: number) {
    this.#maxBytes = maxBytes
    this.#after = after
    this.#newest = after
  }

  get after(): number {
    return this.#after
  }

  get newest(): number {
    return this.#newest
  }

  get bytes(): number {
    return this.#bytes
  }

  get length(): number {
    return this.#entries.length - this.#first
  }

  /** Adds the next event of the log, and evicts the oldest ones beyond the bound. */
  push(entry: FeedEntry): void {
    this.#entries.push(entry)
    this.#newest = entry.id
    this.#bytes += entry.size
    entry.onGrowth = (bytes) => {
      this.#bytes += bytes
    }
    this.trim()
  }

  /** Evicts everything: readers below `newest` ask the store again. */
  clear(): void {
    for (let at = this.#first; at < this.#entries.length; at++) {
      this.#entries[at]!.onGrowth = undefined
    }
    this.#entries = []
    this.#first = 0
    this.#bytes = 0
    this.#after = this.#newest
  }

  /** Evicts the oldest entries beyond the bound. Entries grow when they are encoded. */
  trim(): void {
    while (this.#bytes > this.#maxBytes && this.length > 0) {
      const oldest = this.#entries[this.#first]!
      oldest.onGrowth = undefined
      this.#bytes -= oldest.size
      this.#after = oldest.id
      this.#entries[this.#first] = undefined
      this.#first++
    }
    if (this.#first > 1_024 && this.#first * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
  }

  /** The events with ids above `id`, in order. `id` must not be below `after`. */
  *above(id: number): Iterable<FeedEntry> {
    let low = this.#first
    let high = this.#entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#entries[middle]!.id > id) high = middle
      else low = middle + 1
    }
    for (let at = low; at < this.#entries.length; at++) yield this.#entries[at]!
  }
}
