import { Worker } from 'node:worker_threads'
import type { BadgeClaim } from '../../storage/badges.ts'
import type { StorageSettings } from '../../storage/storage.ts'
import type { RunSummary } from './compute.ts'
import type { BadgeSettings } from './settings.ts'

export type ComputeRequest = {
  readonly storage: StorageSettings
  readonly claim: BadgeClaim
  readonly settings: BadgeSettings
  /** Unix ms. */
  readonly now: number
}

export type ComputeResponse = { readonly fids: Uint32Array; readonly summary: RunSummary }

export type Computation = {
  /** Rejected when the computation fails or is stopped. */
  readonly result: Promise<ComputeResponse>
  /** Ends it at once: it has only read, and stored what nobody looks at. */
  stop(): Promise<void>
}

/**
 * Computes a set in a thread with a connection of its own, made for this one run: a computation of
 * minutes holds up no request, and its memory goes with the thread.
 */
export function startComputation(request: ComputeRequest): Computation {
  const script = new URL('./badges-thread.ts', import.meta.url)
  const worker = new Worker(script, { workerData: request })
  worker.unref()
  const result = new Promise<ComputeResponse>((resolve, reject) => {
    let response: ComputeResponse | undefined
    worker.on('message', (message: ComputeResponse) => {
      response = message
    })
    worker.on('error', reject)
    // Only then is its connection to the store closed.
    worker.on('exit', () => {
      if (response) resolve(response)
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
