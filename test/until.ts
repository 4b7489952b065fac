// Waiting for a condition, never for a time.

import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './patience.ts'

const POLL_MS = 20

/** Asks again and again until the answer is true or something, and returns it. What is thrown counts as not yet, and is the cause of the failure when the patience is over. */
export async function until<T>(
  ask: () => T | Promise<T>,
  what = 'the condition holds',
): Promise<NonNullable<T>> {
  let cause: unknown
  for (
    const start = performance.now();
    performance.now() - start < PATIENCE_MS;
    await sleep(POLL_MS)
  ) {
    try {
      const answer = await ask()
      cause = undefined
      if (answer) return answer
    } catch (error) {
      cause = error
    }
  }
  throw new Error(`waited in vain: ${what}`, { cause })
}
