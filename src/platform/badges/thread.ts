import { Worker } from 'node:worker_threads'
import type { StorageSettings } from '../../storage/storage.ts'
import type { Run } from './runs.ts'
import type { BadgeSettings } from './settings.ts'

const SCRIPT = new URL('./badges-thread.ts', import.meta.url)

export type ComputeRequest = Run & {
  readonly storage: StorageSettings
  readonly settings: BadgeSettings
  /** Unix ms. */
  readonly now: number
}

type Computation = {
  /** Resolves when the set is in force; rejected when the computation fails or is stopped. */
  readonly result: Promise<void>
  /** Stops it at once: until its last transaction it has stored nothing that is read. */
  stop(): Promise<void>
}

/**
 * Computes a claimed set in a worker thread with its own database connection, started for this run: minutes of
 * computation block no request, and its memory is freed with the thread.
 */
export function startComputation(request: ComputeRequest): Computation {
  const worker = new Worker(SCRIPT, { workerData: request })
  worker.unref()
  const result = new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error('the computation was stopped'))
    })
  })
  return {
    result,
    async stop() {
      await worker.terminate()
    },
  }
}
