import { setTimeout as delay } from 'node:timers/promises'

/** Waiting, and how long it took: the machine's time, whatever the clock of the network says. */
export type Timer = {
  /** Milliseconds that only grow. */
  now(): number
  /** Ends early, without complaint, when the signal says so. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => {}),
}
