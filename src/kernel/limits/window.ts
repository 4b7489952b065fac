import { isLoopback, readClient } from './client.ts'
import { CLIENTS_PER_NETWORK } from './concurrency.ts'
import type { Exceeded } from './exceeded.ts'

/** Above this number of keys in one window the oldest is evicted, so that memory stays bounded. */
const MAX_KEYS = 10_000

type Window = { readonly endsAtMs: number; count: number }

/** Whether a window is still open. After the clock was set back by more than a window, the count starts anew. */
export const isOpen = (endsAtMs: number, windowMs: number, nowMs: number): boolean =>
  nowMs < endsAtMs && endsAtMs - nowMs <= windowMs

/**
 * Counts events or amounts by key in windows of fixed length, in the memory of this process. The first
 * event of a key opens its window.
 */
export class FixedWindow {
  readonly #windowMs: number
  readonly #maxKeys: number
  // All windows are equally long and are added as they open, so the map is in the order of their ends.
  readonly #windows = new Map<string, Window>()

  constructor(options: { readonly windowMs: number; readonly maxKeys?: number }) {
    this.#windowMs = options.windowMs
    this.#maxKeys = options.maxKeys ?? MAX_KEYS
  }

  /** Counts `amount` at Unix ms `nowMs` and returns its key's count and when the window ends. */
  consume(key: string, nowMs: number, amount = 1): Readonly<Window> {
    const window = this.#find(key, nowMs) ?? this.#open(key, nowMs)
    window.count += amount
    return window
  }

  /** Counts `amount` unless its key would then have more than `max` in this window. */
  tryConsume(key: string, max: number, nowMs: number, amount = 1): Exceeded | undefined {
    const exceeded = this.check(key, max, nowMs, amount)
    if (!exceeded) this.consume(key, nowMs, amount)
    return exceeded
  }

  /** What `tryConsume` would return; counts nothing. */
  check(key: string, max: number, nowMs: number, amount = 1): Exceeded | undefined {
    const window = this.#find(key, nowMs)
    if ((window?.count ?? 0) + amount <= max) return undefined
    return { retryAfterMs: window ? window.endsAtMs - nowMs : this.#windowMs }
  }

  /** Number of keys in memory. */
  get size(): number {
    return this.#windows.size
  }

  #find(key: string, nowMs: number): Window | undefined {
    const window = this.#windows.get(key)
    return window && isOpen(window.endsAtMs, this.#windowMs, nowMs) ? window : undefined
  }

  #open(key: string, nowMs: number): Window {
    this.#windows.delete(key)
    for (const [oldest, { endsAtMs }] of this.#windows) {
      if (nowMs < endsAtMs && this.#windows.size < this.#maxKeys) break
      this.#windows.delete(oldest)
    }
    const window = { endsAtMs: nowMs + this.#windowMs, count: 0 }
    this.#windows.set(key, window)
    return window
  }
}

/** Requests of one client in a period, counted for each process. */
export type Limit = {
  readonly max: number
  readonly windowSeconds: number
  /** Whether requests from loopback are not counted, as for submits at deployed hubs. */
  readonly exemptLoopback?: boolean
  /** Whether uncounted requests get the headers of the limit too: clients may look for them. */
  readonly announced?: boolean
}

/** Who requests are counted for. */
type Counted = {
  readonly address: string
  /** Counted in place of the client of the address and its network. */
  readonly callerId?: string | undefined
  /** The caller's own maximum, in place of that of the limit. */
  readonly max?: number | undefined
}

/** What a client has left after a request. */
export type Usage = {
  readonly exceeded: Exceeded | undefined
  readonly max: number
  readonly left: number
  readonly endsInMs: number
}

/** Counts requests against a limit. */
export class RateLimit {
  readonly limit: Limit
  /** The name by which routes and callers' own limits refer to it. */
  readonly name: string | undefined
  readonly #resets: () => number
  #window: FixedWindow
  #windowOf: number

  /** Counts begin anew when `resets` changes: then other data took the place of those that requests have changed. */
  constructor(limit: Limit, name?: string, resets: () => number = () => 0) {
    this.limit = limit
    this.name = name
    this.#resets = resets
    this.#windowOf = resets()
    this.#window = this.#newWindow()
  }

  /**
   * Counts a request, or as many as `amount`, unless that exceeds the limit of the client or of its network. Returns undefined
   * for an exempt address.
   */
  tryConsume(
    { address, callerId, max = this.limit.max }: Counted,
    nowMs: number,
    amount = 1,
  ): Usage | undefined {
    if (this.limit.exemptLoopback && isLoopback(address)) return undefined
    const resets = this.#resets()
    if (resets !== this.#windowOf) this.#window = this.#newWindow()
    this.#windowOf = resets
    const { name, network } = readClient(address)
    const key = callerId ?? name
    const exceeded =
      this.#window.tryConsume(key, max, nowMs, amount) ??
      (callerId === undefined && network !== name
        ? this.#window.tryConsume(network, max * CLIENTS_PER_NETWORK, nowMs, amount)
        : undefined)
    const { count, endsAtMs } = this.#window.consume(key, nowMs, 0)
    return { exceeded, max, left: max - count, endsInMs: endsAtMs - nowMs }
  }

  #newWindow(): FixedWindow {
    return new FixedWindow({ windowMs: this.limit.windowSeconds * 1_000 })
  }
}
