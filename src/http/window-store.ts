import type { FastifyRateLimitStore } from '@fastify/rate-limit'

/** Beyond so many clients in a window the one that came first is forgotten, and starts anew. */
export const MAX_COUNTED_CLIENTS = 10_000

type Window = { endsAt: number; count: number }
type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * Counts each client's requests in windows of fixed length, in memory. The plugin's own store hands every waiting
 * request the same object, so that of many at once each sees the last count and even the first ones are refused.
 */
export class WindowStore implements FastifyRateLimitStore {
  // All windows of a limit are equally long and enter as they open: the map is in order of their ends.
  readonly #windows = new Map<string, Window>()

  incr(client: string, counted: Counted, windowMs = 0): void {
    const now = Date.now()
    const window = this.#windowOf(client, now, windowMs)
    window.count += 1
    counted(null, { current: window.count, ttl: window.endsAt - now })
  }

  /** A limit of its own. */
  child(): WindowStore {
    return new WindowStore()
  }

  #windowOf(client: string, now: number, windowMs: number): Window {
    const open = this.#windows.get(client)
    if (open !== undefined && now < open.endsAt) return open
    this.#makeRoom(now)
    const window = { endsAt: now + windowMs, count: 0 }
    this.#windows.delete(client)
    this.#windows.set(client, window)
    return window
  }

  #makeRoom(now: number): void {
    for (const [client, { endsAt }] of this.#windows) {
      if (now < endsAt && this.#windows.size < MAX_COUNTED_CLIENTS) return
      this.#windows.delete(client)
    }
  }

  get size(): number {
    return this.#windows.size
  }
}
