/** Speeds are those of the last half a minute. */
const WINDOW_SECONDS = 30

type Slot = { readonly at: number; messages: number; people: number }

/** How fast people are read. Times are seconds. */
export class Progress {
  readonly #now: () => number
  readonly #startedAt: number
  #slots: Slot[] = []
  #merged = 0

  constructor(now = () => performance.now() / 1_000) {
    this.#now = now
    this.#startedAt = now()
  }

  /** Messages that were stored since this process started. */
  get merged(): number {
    return this.#merged
  }

  notePerson(): void {
    this.#slot().people++
  }

  noteMessages(count: number): void {
    this.#merged += count
    this.#slot().messages += count
  }

  /** Messages a second. */
  get perSecond(): number {
    return Math.round(this.#perSecond(({ messages }) => messages))
  }

  /** Seconds until so many people are read, as it goes now; undefined when nobody was read lately. */
  etaSeconds(waiting: number): number | undefined {
    const speed = this.#perSecond(({ people }) => people)
    return speed === 0 ? undefined : Math.round(waiting / speed)
  }

  #perSecond(of: (slot: Slot) => number): number {
    const now = this.#now()
    const since = Math.max(this.#startedAt, now - WINDOW_SECONDS)
    const recent = this.#slots.filter(({ at }) => at >= Math.floor(since))
    return recent.reduce((sum, slot) => sum + of(slot), 0) / Math.max(1, now - since)
  }

  #slot(): Slot {
    const at = Math.floor(this.#now())
    const last = this.#slots.at(-1)
    if (last?.at === at) return last
    const slot = { at, messages: 0, people: 0 }
    this.#slots = [...this.#slots.filter((one) => one.at > at - WINDOW_SECONDS), slot]
    return slot
  }
}
