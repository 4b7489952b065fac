import { Thread, ThreadEndedError } from '../../base/thread.ts'
import {
  type Admission,
  type Bodies,
  type ExaminationSettings,
  type Examined,
  examine,
  packBodies,
} from './examination.ts'

/** How many times a batch is posted to a thread that dies over it. */
const MAX_ATTEMPTS = 3
/**
 * A signature costs about 50 us and a turn to a thread and back 200 us of two threads, so few are examined at once where
 * they are submitted. Data of this size cost as much to hash.
 */
const MAX_PROMPT_BODIES = 2
const MAX_PROMPT_BYTES = 4_096

/** Examines serialised messages: few at once, more in worker threads. */
export type Examiners = {
  /** The parts of the answer are in the order of the bodies. */
  examine(bodies: readonly Uint8Array[], admission: Admission): Promise<Examined[]>
  close(): Promise<void>
}

/** Starts this many threads; a batch is split evenly among them. */
export function startExaminers(count: number, settings: ExaminationSettings): Examiners {
  const script = new URL('./examiner-thread.ts', import.meta.url)
  const threads = Array.from(
    { length: count },
    () => new Thread<Bodies, Examined>(script, settings),
  )
  return {
    async examine(bodies, admission) {
      if (isSmall(bodies)) return [examine(packBodies(bodies, admission), settings)]
      const share = Math.ceil(bodies.length / threads.length)
      const asked = threads.slice(0, Math.ceil(bodies.length / share))
      return Promise.all(
        asked.map((thread, i) => {
          const packed = packBodies(bodies.slice(i * share, (i + 1) * share), admission)
          return retryWhenThreadEnds(() => thread.ask(packed))
        }),
      )
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

const isSmall = (bodies: readonly Uint8Array[]): boolean =>
  bodies.length <= MAX_PROMPT_BODIES && bodies.every(({ length }) => length <= MAX_PROMPT_BYTES)

/** Asks again when the thread died: an examination changes nothing. */
async function retryWhenThreadEnds<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ThreadEndedError) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}
