import { startThread, ThreadEndedError } from '../thread.ts'
import { packSignatures, type Signed, verifyPacked } from './signature-batch.ts'

/** How many times a batch is posted to a thread that dies over it. */
const MAX_ATTEMPTS = 3
/**
 * A signature costs about 50 us and a turn to a thread and back 200 us of two threads, so few are verified at once where
 * they are asked for. Data of this size cost as much to hash.
 */
const MAX_PROMPT_SIGNATURES = 2
const MAX_PROMPT_BYTES = 4_096

/** Verifies Ed25519 signatures: few at once, more in worker threads. */
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
      if (isSmall(messages)) {
        return Array.from(verifyPacked(packSignatures(messages, acceptDataSignatures)), isValid)
      }
      const share = Math.ceil(messages.length / lanes.length)
      const parts = await Promise.all(
        lanes.map((lane, i) => {
          const part = messages.slice(i * share, (i + 1) * share)
          if (part.length === 0) return new Uint8Array(0)
          const packed = packSignatures(part, acceptDataSignatures)
          return retryWhenThreadEnds(() => lane.ask(packed))
        }),
      )
      return parts.flatMap((part) => Array.from(part, isValid))
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

const isValid = (result: number): boolean => result === 1

const isSmall = (messages: readonly Signed[]): boolean =>
  messages.length <= MAX_PROMPT_SIGNATURES &&
  messages.every(({ data }) => data.length <= MAX_PROMPT_BYTES)

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
