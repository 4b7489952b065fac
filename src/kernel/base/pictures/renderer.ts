import { Worker } from 'node:worker_threads'
import { Rejection } from '../../protocol/rejection.ts'
import { Semaphore } from '../concurrency.ts'
import { memoryLimit } from '../memory-limit.ts'
import type { Rendered, RenderRequest } from './render.ts'
import type { ThreadAnswer, ThreadCharge } from './render-thread.ts'

const SCRIPT = new URL('./render-thread.ts', import.meta.url)
/** For the start of the thread, and for a picture. The largest allowed one takes about two seconds of an idle core. */
const RENDER_TIMEOUT_MS = 10_000
/** For JavaScript, which only reads headers and turns small pictures; the decoder has its own bound (render.ts). */
const MAX_HEAP_MB = 64
/** Idle time after which the thread ends, because memory of WebAssembly never shrinks. */
const IDLE_MS = 20_000
/** When a client whose picture could not be decoded for want of time may try again. */
const RETRY_SECONDS = 10

/** The charge for a file that is refused or stops the decoder, in bytes of an answer: reading it, and the start of a thread. */
const CHARGED_BYTES_OF_FAILURE = 4_000_000

type Work = RenderRequest & {
  /** Whose pictures wait for each other. */
  readonly client: string
  /** Charges the client for work, in bytes of an answer. */
  readonly consume: (bytes: number) => void
}

/** Makes the refusal of a file; `what` follows its name in a sentence. */
export type Refuse = (what: string) => Rejection

export type Renderer = {
  /**
   * Renders one picture at a time, on one core, of each client in turn. What is wrong with a file is a Rejection that `refuse`
   * makes; a Rejection `unavailable` says nothing about the file.
   */
  render(work: Work, refuse: Refuse): Promise<Rendered>
  close(): Promise<void>
}

type Outcome = ThreadAnswer | 'busy'

/** The thread that decodes pictures: started for the first one, ended when idle, slow or broken. */
export function createRenderer({
  timeoutMs = RENDER_TIMEOUT_MS,
  memoryBytes = memoryLimit(),
} = {}): Renderer {
  const turns = new Semaphore({ running: 1, runningPerClient: 1 })
  let worker: Worker | undefined
  let isReady = false
  let idle: NodeJS.Timeout | undefined
  let timer: NodeJS.Timeout | undefined
  /** Ends the wait for the picture that is being rendered. */
  let settle: ((outcome: Outcome) => void) | undefined
  let charge: Work['consume'] | undefined

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    isReady = false
    await ended?.terminate()
  }

  const beginTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => settle?.('busy'), timeoutMs)
  }

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB }
    const started = new Worker(SCRIPT, { resourceLimits, workerData: { memoryBytes } })
    started.on('message', (answer: ThreadAnswer | ThreadCharge | 'ready') => {
      if (answer === 'ready') {
        isReady = true
        if (settle) beginTimer()
      } else if ('costBytes' in answer) charge?.(answer.costBytes)
      else settle?.(answer)
    })
    // A thread that did not start says nothing about the file.
    const fail = (why: string) => {
      if (worker === started) settle?.(isReady ? { broken: why } : 'busy')
    }
    started.on('error', (error) => fail(String(error)))
    started.on('exit', () => fail('the thread ended'))
    return started
  }

  function ask(request: RenderRequest): Promise<Outcome> {
    clearTimeout(idle)
    worker ??= start()
    worker.ref()
    worker.postMessage(request)
    beginTimer()
    return new Promise<Outcome>((resolve) => {
      settle = (outcome) => {
        clearTimeout(timer)
        settle = undefined
        resolve(outcome)
      }
    })
  }

  async function renderNow(
    { consume, bytes, width, preview = false }: Work,
    refuse: Refuse,
  ): Promise<Rendered> {
    charge = consume
    const outcome = await ask({ bytes, width, preview })
    if (outcome === 'busy' || !('rendered' in outcome)) consume(CHARGED_BYTES_OF_FAILURE)
    if (outcome === 'busy' || 'broken' in outcome) {
      await end()
      throw outcome === 'busy' ? busy() : refuse('cannot be decoded')
    }
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    worker?.unref()
    if ('refused' in outcome) throw refuse(outcome.refused)
    return outcome.rendered
  }

  return {
    render: (work, refuse) => turns.run(work.client, () => renderNow(work, refuse)),
    async close() {
      while (turns.running + turns.waiting > 0) await turns.run('', async () => {})
      await end()
    },
  }
}

const busy = () =>
  new Rejection(
    'unavailable.overloaded',
    'this server is too busy to decode a picture; try again',
    {
      retryAfterSeconds: RETRY_SECONDS,
    },
  )
