import { startThread, ThreadEndedError } from '../thread.ts'
import { packSignatures, type Signed } from './signature-batch.ts'

/** How many times a batch is posted to a thread that dies over it. */
const MAX_ATTEMPTS = 3

/** Verifies Ed25519 signatures in worker threads. */
export type Verifier = {
  /** For each message, in order, whether its signature is valid. */
  verify(messages: readonly Signed[]): Promise<boolean[]>
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
          return retryWhenThreadEnds(() => lane.ask(packed))
        }),
      )
      return parts.flatMap((part) => Array.from(part, (valid) => valid === 1))
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** Asks again when the thread died: verification is idempotent. */
async function retryWhenThreadEnds<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
