import { Worker } from 'node:worker_threads'
import { Mutex } from '../../kernel/base/concurrency.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

const SCRIPT = new URL('./clean-thread.ts', import.meta.url)
/** The longest takes half a second of an idle core. */
const TIMEOUT_MS = 20_000
/** For the lists of pieces of the file; its bytes are counted elsewhere. */
const MAX_HEAP_MB = 96

/** Files that are kept without being decoded. */
export type MovingKind = 'gif' | 'png' | 'webp' | 'mp4' | 'webm'
export type CleanRequest = { readonly kind: MovingKind; readonly bytes: Uint8Array }
export type Cleaned = {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
  /** Of a video, as the file says it: any number, or NaN. */
  readonly durationMs?: number
  readonly coding?: string
  /** Of a picture that moves. */
  readonly frames?: number
  /** Pieces that were looked at, where each costs more than its bytes. */
  readonly elements?: number
}
export type CleanAnswer =
  | { readonly cleaned: Cleaned }
  /** What is wrong with the file. */
  | { readonly refused: string }

/** One at a time: the memory of the pieces of one file is bounded, that of several is not. */
const mutex = new Mutex()

/** Writes a file again without what it does not need to be played, in a thread. Throws what `refuse` makes of what is wrong with it. */
export const cleanFile = (
  request: CleanRequest,
  refuse: (what: string) => Error,
): Promise<Cleaned> =>
  mutex.run(async () => {
    const answer = await answerOf(request)
    if ('refused' in answer) throw refuse(answer.refused)
    return answer.cleaned
  })

async function answerOf(request: CleanRequest): Promise<CleanAnswer> {
  const options = { workerData: request, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } }
  const worker = new Worker(SCRIPT, options)
  const { promise, resolve, reject } = Promise.withResolvers<CleanAnswer>()
  const timer = setTimeout(() => reject(busy()), TIMEOUT_MS)
  worker.on('message', resolve).on('error', reject)
  worker.on('exit', () => reject(busy()))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    void worker.terminate()
  }
}

const busy = () =>
  new Rejection('unavailable.overloaded', 'this server is too busy to read a video; try again', {
    retryAfterSeconds: 10,
  })
