import { Worker } from 'node:worker_threads'
import { Rejection } from '../../protocol/rejection.ts'
import { MIB } from '../../protocol/sizes.ts'
import { Semaphore } from '../concurrency.ts'
import { memoryInUse, memoryLimit } from '../memory-limit.ts'
import type { Rendered, RenderRequest } from './render.ts'
import type { ThreadAnswer, ThreadCharge } from './render-thread.ts'

const SCRIPT = new URL('./render-thread.ts', import.meta.url)
/** For the start of the thread, and for a picture. The largest allowed one takes about two seconds of an idle core. */
const RENDER_TIMEOUT_MS = 10_000
/** For JavaScript, which only reads headers and turns small pictures; the decoder has its own bound (render.ts). */
const MAX_HEAP_MB = 64
/** Idle time after which the thread ends, because memory of WebAssembly never shrinks. */
const IDLE_MS = 20_000
/** What a thread takes before its first picture: the library, its code and what compiles it, as measured. */
const THREAD_BYTES = 100 * MIB
/** The share of its memory that the process uses for pictures: the system counts sockets and page tables, too. */
const USABLE_SHARE = 15 / 16
/** The share of its memory with which the process may grow while a thread lives. One that has taken more ends after its picture. */
const MAX_GROWTH_SHARE = 1 / 4
/** When a client whose picture could not be decoded for want of time may try again. */
const RETRY_SECONDS = 10

/** The charge for a file that is refused or stops the decoder, in bytes of an answer: reading it, and the start of a thread. */
const CHARGED_BYTES_OF_FAILURE = 4_000_000

type Work = Omit<RenderRequest, 'roomBytes'> & {
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
  usedBytes = memoryInUse,
} = {}): Renderer {
  const turns = new Semaphore({ running: 1, runningPerClient: 1 })
  let worker: Worker | undefined
  let isReady = false
  /** What the process used when the thread was started. */
  let usedAtStart = 0
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
    usedAtStart = usedBytes()
    started.on('message', (answer: ThreadAnswer | ThreadCharge | 'ready') => {
      if (answer === 'ready') {
        isReady = true
        if (settle) beginTimer()
      } else if (answer !== 'full' && 'costBytes' in answer) charge?.(answer.costBytes)
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
    worker.postMessage(request satisfies RenderRequest)
    beginTimer()
    return new Promise<Outcome>((resolve) => {
      settle = (outcome) => {
        clearTimeout(timer)
        settle = undefined
        resolve(outcome)
      }
    })
  }

  /** A thread keeps what earlier pictures took. A new one may have the room that it has not. */
  async function askWithRoom(request: Omit<RenderRequest, 'roomBytes'>): Promise<Outcome> {
    const isNew = worker === undefined
    const roomBytes = memoryBytes * USABLE_SHARE - usedBytes() - (isNew ? THREAD_BYTES : 0)
    const outcome = roomBytes > 0 ? await ask({ ...request, roomBytes }) : 'full'
    if (outcome !== 'full' || isNew) return outcome
    await end()
    return askWithRoom(request)
  }

  async function renderNow(
    { consume, bytes, width, preview = false }: Work,
    refuse: Refuse,
  ): Promise<Rendered> {
    charge = consume
    const outcome = await askWithRoom({ bytes, width, preview })
    const isDone = typeof outcome === 'object'
    if (!isDone || !('rendered' in outcome)) consume(CHARGED_BYTES_OF_FAILURE)
    if (!isDone || 'broken' in outcome) {
      await end()
      throw isDone ? refuse('cannot be decoded') : unavailable(WHY[outcome])
    }
    if (usedBytes() - usedAtStart > memoryBytes * MAX_GROWTH_SHARE) await end()
    else idle = setTimeout(() => void end(), IDLE_MS).unref()
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

const WHY = {
  busy: 'this server is too busy to decode a picture; try again',
  full: 'this server has too little memory for a picture of this size at the moment; try again, or make it smaller',
} as const

const unavailable = (why: string) =>
  new Rejection('unavailable.overloaded', why, { retryAfterSeconds: RETRY_SECONDS })
