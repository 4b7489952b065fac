import { setTimeout as delay } from 'node:timers/promises'

/** Waiting and measuring by the machine's time, independent of the network's clock. */
export type Timer = {
  /** Milliseconds that only grow. */
  now(): number
  /** Resolves early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => {}),
}
