import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import { FixedWindow } from '../fixed-window.ts'

/** Beyond so many clients in a window the oldest is forgotten and starts anew. */
export const MAX_COUNTED_CLIENTS = 10_000

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

/**
 * Counts each client's requests in windows of fixed length, in memory. The plugin's own store gives every waiting
 * request the same object, so that of many at once each sees the last count and even the first ones are refused.
 */
export class WindowStore implements FastifyRateLimitStore {
  /** One limit always passes the same length. */
  #window: FixedWindow | undefined

  incr(client: string, counted: Counted, windowMs = 0): void {
    this.#window ??= new FixedWindow({ windowMs, maxKeys: MAX_COUNTED_CLIENTS })
    const now = Date.now()
    const { count, endsAtMs } = this.#window.count(client, now)
    counted(null, { current: count, ttl: endsAtMs - now })
  }

  /** A limit of its own. */
  child(): WindowStore {
    return new WindowStore()
  }

  get size(): number {
    return this.#window?.size ?? 0
  }
}
