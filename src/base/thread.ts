import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

/** A thread ended while it worked on a request; whether the work was done is not known. */
export class ThreadEndedError extends Error {}

/** A worker thread that answers requests in order. It starts with the first one, and again when it dies. */
export type Thread<Request, Response> = {
  /** Throws a ThreadEndedError when the thread dies over it. */
  ask(request: Request): Promise<Response>
  /** Lets the thread finish its requests and close its resources, and ends it. */
  close(): Promise<void>
}

/** The request that tells a thread to close its resources; it is answered like any other. */
export const CLOSE = 'close'
/** MiB of each half of the young generation of a thread that works on batches, which become garbage at once. */
const YOUNG_MIB = 4
/** A thread that fails at once is restarted no more often than this. */
const RESTART_DELAY_MS = 100

/** The script calls `serveThread` and gets the settings there. `youngMib` is for each half of its young generation. */
export function startThread<Request, Response>(
  script: URL,
  settings: unknown,
  youngMib = YOUNG_MIB,
): Thread<Request, Response> {
  type Asked = Request | typeof CLOSE
  type Waiting = { request: Asked; resolve(response: Response): void; reject(error: Error): void }
  const waiting: Waiting[] = []
  let closing = false
  let running = false
  let worker: Worker | undefined
  let restarting: NodeJS.Timeout | undefined

  function start(): Worker {
    setFlags(youngMib)
    const name = basename(script.pathname).split('.')[0]!
    const started = new Worker(script, { name, workerData: settings })
    started.unref()
    running = true
    let reason = 'a thread ended'
    started.on('message', (response: Response) => {
      waiting.shift()?.resolve(response)
      if (waiting.length === 0) started.unref()
    })
    started.on('error', (error: Error) => {
      reason = `a thread ended: ${error.message}`
    })
    started.on('exit', () => {
      running = false
      if (!closing) restarting = setTimeout(restart, RESTART_DELAY_MS).unref()
      giveUp(reason)
    })
    return started
  }

  /** Requests made while there was no thread go to the new one. Answers are matched by order. */
  function restart(): void {
    if (closing) return
    worker = start()
    if (waiting.length > 0) worker.ref()
    for (const { request } of waiting) worker.postMessage(request)
  }

  function giveUp(reason: string): void {
    for (const { reject } of waiting.splice(0)) reject(new ThreadEndedError(reason))
  }

  const ask = (request: Asked): Promise<Response> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (!closing) worker ??= start()
      // The process stays alive while a caller waits for an answer.
      if (!running) restarting?.ref()
      else worker?.ref()
      if (running) worker?.postMessage(request)
    })

  return {
    ask,
    async close() {
      closing = true
      if (running) await ask(CLOSE).catch(() => {})
      await worker?.terminate()
      giveUp('the thread was closed')
    },
  }
}

/**
 * The flags that size the young generation of the process's own thread would hold for all threads and override the limits
 * of a worker. They are read when a thread starts.
 */
function setFlags(youngMib: number): void {
  for (const end of ['min', 'max']) setFlagsFromString(`--${end}-semi-space-size=${youngMib}`)
  // Otherwise V8 maps 2 MB of its code once more for each thread, near the code that it compiles there.
  setFlagsFromString('--no-short-builtin-calls')
}

/**
 * Runs a script once in a thread of its own, whose memory is freed with it. Aborting ends the thread at once.
 */
export async function runInThread(
  script: URL,
  workerData: unknown,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  setFlags(YOUNG_MIB)
  const worker = new Worker(script, { workerData })
  worker.unref()
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject)
      worker.once('exit', (code) => {
        if (code === 0) resolve()
        else reject(new ThreadEndedError('a thread was stopped before its work was done'))
      })
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
