import { Worker } from 'node:worker_threads'
import type { BackupRequest } from './copy.ts'
import type { Manifest } from './manifest.ts'

const SCRIPT = new URL('./backup-thread.ts', import.meta.url)

/** Makes a backup in a thread. Aborting ends it at once; half a backup is left under its partial name. */
export async function backUpInThread(
  request: BackupRequest,
  signal: AbortSignal,
): Promise<Manifest> {
  signal.throwIfAborted()
  const worker = new Worker(SCRIPT, { workerData: request })
  worker.unref()
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the thread of the backup was stopped')))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
