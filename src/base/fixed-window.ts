/** The window of a key is full. */
type Exceeded = { readonly retryAfterMs: number }

/** Above this number of keys in one window the oldest is evicted, so that memory stays bounded. */
const MAX_KEYS = 10_000

type Window = { endsAtMs: number; count: number }

/**
 * Counts events or amounts by key in windows of fixed length, in the memory of this process. The first
 * event of a key opens its window.
 */
export class FixedWindow {
  readonly #windowMs: number
  readonly #maxKeys: number
  // All windows are equally long and are added as they open, so the map is in the order of their ends.
  readonly #windows = new Map<string | number, Window>()

  constructor(options: { readonly windowMs: number; readonly maxKeys?: number }) {
    this.#windowMs = options.windowMs
    this.#maxKeys = options.maxKeys ?? MAX_KEYS
  }

  /** Counts `amount` at Unix ms `nowMs` and returns its key's count and when the window ends. */
  count(
    key: string | number,
    nowMs: number,
    amount = 1,
  ): { readonly count: number; readonly endsAtMs: number } {
    const window = this.#windowOf(key, nowMs) ?? this.#open(key, nowMs)
    window.count += amount
    return window
  }

  /** Counts `amount` unless its key would then have more than `max` in this window. */
  take(key: string | number, max: number, nowMs: number, amount = 1): Exceeded | undefined {
    const exceeded = this.check(key, max, nowMs, amount)
    if (!exceeded) this.count(key, nowMs, amount)
    return exceeded
  }

  /** What `take` would return; counts nothing. */
  check(key: string | number, max: number, nowMs: number, amount = 1): Exceeded | undefined {
    const window = this.#windowOf(key, nowMs)
    if ((window?.count ?? 0) + amount <= max) return undefined
    return { retryAfterMs: window ? window.endsAtMs - nowMs : this.#windowMs }
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#windows.size
  }

  #windowOf(key: string | number, nowMs: number): Window | undefined {
    const window = this.#windows.get(key)
    if (!window || nowMs >= window.endsAtMs) return undefined
    // After the clock was set back by more than a window, the count starts anew.
    return window.endsAtMs - nowMs <= this.#windowMs ? window : undefined
  }

  #open(key: string | number, nowMs: number): Window {
    this.#windows.delete(key)
    this.#makeRoom(nowMs)
    const window = { endsAtMs: nowMs + this.#windowMs, count: 0 }
    this.#windows.set(key, window)
    return window
  }

  #makeRoom(nowMs: number): void {
    for (const [key, { endsAtMs }] of this.#windows) {
      if (nowMs < endsAtMs && this.#windows.size < this.#maxKeys) return
      this.#windows.delete(key)
    }
  }
}
