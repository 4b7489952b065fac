import { startThread, ThreadEndedError } from '../thread.ts'
import {
  type Bodies,
  createExaminer,
  type ExaminationSettings,
  type Examined,
  packBodies,
} from './examination.ts'
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
  /** Examines serialised messages at Unix ms `nowMs`. The parts of the answer are in the order of the bodies. */
  examine(bodies: readonly Uint8Array[], nowMs: number): Promise<Examined[]>
  close(): Promise<void>
}

/** Starts this many threads; a batch is split evenly among them. */
export function startVerifier(threads: number, settings: ExaminationSettings): Verifier {
  const script = new URL('./signature-verifier-thread.ts', import.meta.url)
  const lanes = Array.from({ length: threads }, () =>
    startThread<Uint8Array | Bodies, Uint8Array | Examined>(script, settings),
  )
  const examineHere = createExaminer(settings)

  /** Asks each thread about its share of a list. */
  function askAll<T, Answer extends Uint8Array | Examined>(
    list: readonly T[],
    pack: (part: readonly T[]) => Uint8Array | Bodies,
  ): Promise<Answer[]> {
    const share = Math.ceil(list.length / lanes.length)
    const asked = lanes.slice(0, Math.ceil(list.length / Math.max(1, share)))
    return Promise.all(
      asked.map((lane, i) => {
        const packed = pack(list.slice(i * share, (i + 1) * share))
        return retryWhenThreadEnds(() => lane.ask(packed)) as Promise<Answer>
      }),
    )
  }

  return {
    async verify(messages) {
      const pack = (part: readonly Signed[]) => packSignatures(part, settings.acceptDataSignatures)
      if (isSmall(messages.map(({ data }) => data))) {
        return Array.from(verifyPacked(pack(messages)), isValid)
      }
      const parts = await askAll<Signed, Uint8Array>(messages, pack)
      return parts.flatMap((part) => Array.from(part, isValid))
    },
    async examine(bodies, nowMs) {
      const pack = (part: readonly Uint8Array[]) => packBodies(part, nowMs)
      if (isSmall(bodies)) return [await examineHere(pack(bodies))]
      return askAll<Uint8Array, Examined>(bodies, pack)
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

const isValid = (result: number): boolean => result === 1

const isSmall = (list: readonly Uint8Array[]): boolean =>
  list.length <= MAX_PROMPT_SIGNATURES && list.every(({ length }) => length <= MAX_PROMPT_BYTES)

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
