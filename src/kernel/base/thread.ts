import { basename } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

/** A thread ended while it worked on a request; whether the work was done is not known. */
export class ThreadEndedError extends Error {}

/** The request that tells a thread to close its resources; it is answered like any other. */
export const CLOSE = 'close'
/** MiB of each half of the young generation of a thread that works on batches, which become garbage at once. */
const YOUNG_MIB = 4
/** A thread that fails at once is restarted no more often than this. */
const RESTART_DELAY_MS = 100

type Waiting<Request, Response> = {
  readonly request: Request
  resolve(response: Response): void
  reject(error: Error): void
}

/** A worker thread that answers requests in order. It starts with the first one, and again when it dies. */
export class Thread<Request, Response> {
  readonly #script: URL
  readonly #settings: unknown
  readonly #youngMib: number
  readonly #waiting: Waiting<Request | typeof CLOSE, Response>[] = []
  #isClosing = false
  #isRunning = false
  #worker: Worker | undefined
  #restarting: NodeJS.Timeout | undefined

  /** The script calls `serveThread` and gets the settings there. `youngMib` is for each half of its young generation. */
  constructor(script: URL, settings: unknown, youngMib = YOUNG_MIB) {
    this.#script = script
    this.#settings = settings
    this.#youngMib = youngMib
  }

  /** Throws a ThreadEndedError when the thread dies over it. */
  ask(request: Request | typeof CLOSE): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isClosing) this.#worker ??= this.#start()
      // The process stays alive while a caller waits for an answer.
      if (!this.#isRunning) this.#restarting?.ref()
      else this.#worker?.ref()
      if (this.#isRunning) this.#worker?.postMessage(request)
    })
  }

  /** Lets the thread finish its requests and close its resources, and ends it. */
  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#isRunning) await this.ask(CLOSE).catch(() => {})
    await this.#worker?.terminate()
    this.#rejectAll('the thread was closed')
  }

  #start(): Worker {
    setFlags(this.#youngMib)
    const name = basename(this.#script.pathname).split('.')[0]!
    const worker = new Worker(this.#script, { name, workerData: this.#settings })
    worker.unref()
    this.#isRunning = true
    let reason = 'a thread ended'
    worker.on('message', (response: Response) => {
      this.#waiting.shift()?.resolve(response)
      if (this.#waiting.length === 0) worker.unref()
    })
    worker.on('error', (error: Error) => {
      reason = `a thread ended: ${error.message}`
    })
    worker.on('exit', () => {
      this.#isRunning = false
      if (!this.#isClosing) {
        this.#restarting = setTimeout(() => this.#restart(), RESTART_DELAY_MS).unref()
      }
      this.#rejectAll(reason)
    })
    return worker
  }

  /** Requests made while there was no thread go to the new one. Answers are matched by order. */
  #restart(): void {
    if (this.#isClosing) return
    const worker = this.#start()
    this.#worker = worker
    if (this.#waiting.length > 0) worker.ref()
    for (const { request } of this.#waiting) worker.postMessage(request)
  }

  #rejectAll(reason: string): void {
    for (const { reject } of this.#waiting.splice(0)) reject(new ThreadEndedError(reason))
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
