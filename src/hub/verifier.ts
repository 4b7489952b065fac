import { Worker } from 'node:worker_threads'
import type { SignedMessage } from '../protocol/message.ts'
import { packSignatures } from './signature-batch.ts'

type Job = { resolve(valid: Uint8Array): void; reject(error: Error): void; request: Uint8Array }

/** How often a batch is given to another thread after one died over it. */
const MAX_ATTEMPTS = 3

/** Checks Ed25519 signatures in worker threads, a posted buffer for each batch. */
export type Verifier = {
  /** For each message, whether its signature holds; in order. */
  verify(messages: readonly SignedMessage[]): Promise<boolean[]>
  close(): Promise<void>
}

/**
 * Starts `threads` workers. A batch is split evenly among them; a worker that dies is replaced and
 * its batch given to the new one.
 */
export function startVerifier(threads: number, acceptDataSignatures: boolean): Verifier {
  const lanes = Array.from({ length: threads }, startLane)
  return {
    async verify(messages) {
      const share = Math.ceil(messages.length / lanes.length)
      const parts = await Promise.all(
        lanes.map((lane, i) => {
          const part = messages.slice(i * share, (i + 1) * share)
          return part.length === 0
            ? new Uint8Array(0)
            : lane.run(packSignatures(part, acceptDataSignatures))
        }),
      )
      return parts.flatMap((part) => Array.from(part, (valid) => valid === 1))
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

function startLane() {
  const waiting: (Job & { attempts: number })[] = []
  let closing = false
  let worker = start()

  function start(): Worker {
    const started = new Worker(new URL('./verify-worker.ts', import.meta.url))
    started.unref()
    started.on('message', (valid: Uint8Array) => waiting.shift()?.resolve(valid))
    started.on('error', () => {})
    started.on('exit', () => {
      if (closing) return
      worker = start()
      for (const job of [...waiting]) retry(job)
    })
    return started
  }

  function retry(job: Job & { attempts: number }): void {
    job.attempts++
    if (job.attempts < MAX_ATTEMPTS) return void worker.postMessage(job.request)
    waiting.splice(waiting.indexOf(job), 1)
    job.reject(new Error('signature threads keep failing'))
  }

  return {
    run(request: Uint8Array): Promise<Uint8Array> {
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject, request, attempts: 0 })
        worker.postMessage(request)
      })
    },
    close(): Promise<unknown> {
      closing = true
      return worker.terminate()
    },
  }
}
