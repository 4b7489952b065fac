import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import { FixedWindow } from '../fixed-window.ts'

/** Above this number of clients in a window the oldest is evicted and starts anew. */
export const MAX_COUNTED_CLIENTS = 10_000

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * Counts the requests of each client in windows of fixed length, in memory. The plugin's own store returns the
 * same object to every waiting request, so that of many concurrent ones each sees the last count, and even the first are
 * refused.
 */
export class WindowStore implements FastifyRateLimitStore {
  /** A limit always passes the same length. */
  #window: FixedWindow | undefined

  constructor(options: { readonly window?: FixedWindow } = {}) {
    this.#window = options.window
  }

  incr(client: string, counted: Counted, windowMs = 0): void {
    this.#window ??= new FixedWindow({ windowMs, maxKeys: MAX_COUNTED_CLIENTS })
    const now = Date.now()
    const { count, endsAtMs } = this.#window.count(client, now)
    counted(null, { current: count, ttl: endsAtMs - now })
  }

  /** The store of one limit: counts in its `window` when its options have one. */
  child(options: object = {}): WindowStore {
    const window = 'window' in options ? options.window : undefined
    return new WindowStore(window instanceof FixedWindow ? { window } : {})
  }

  get size(): number {
    return this.#window?.size ?? 0
  }
}
