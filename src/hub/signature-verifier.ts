import type { SignedMessage } from '../protocol/message.ts'
import { startThread, ThreadEndedError } from '../thread.ts'
import { packSignatures } from './signature-batch.ts'

/** How often a batch is given to a thread before it is given up. */
const MAX_ATTEMPTS = 3

/** Checks Ed25519 signatures in worker threads, one posted buffer for each batch. */
export type Verifier = {
  /** For each message, whether its signature holds; in order. */
  verify(messages: readonly SignedMessage[]): Promise<boolean[]>
  close(): Promise<void>
}

/** Starts this many threads; a batch is split evenly among them. */
export function startVerifier(threads: number, acceptDataSignatures: boolean): Verifier {
  const script = new URL('./signature-verifier-thread.ts', import.meta.url)
  const lanes = Array.from({ length: threads }, () =>
    startThread<Uint8Array, Uint8Array>(script, undefined),
  )
  return {
    async verify(messages) {
      const share = Math.ceil(messages.length / lanes.length)
      const parts = await Promise.all(
        lanes.map((lane, i) => {
          const part = messages.slice(i * share, (i + 1) * share)
          if (part.length === 0) return new Uint8Array(0)
          const packed = packSignatures(part, acceptDataSignatures)
          return insist(() => lane.ask(packed))
        }),
      )
      return parts.flatMap((part) => Array.from(part, (valid) => valid === 1))
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** Asks again when the thread died: verifying twice does no harm. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
