import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { Rejection } from '../../protocol/rejection.ts'
import { MIB } from '../../protocol/sizes.ts'
import { Semaphore } from '../concurrency.ts'
import { freeOnMachine, memoryInUse, memoryLimit } from '../memory-limit.ts'
import type { Rendered, RenderRequest } from './render.ts'
import type { NoRoom, ThreadAnswer, ThreadCharge } from './render-thread.ts'

const SCRIPT = new URL('./render-thread.ts', import.meta.url)
/** For the start of the thread, and for a picture. The largest allowed one takes about two seconds of an idle core. */
const RENDER_TIMEOUT_MS = 10_000
/** For JavaScript, which only reads headers and turns small pictures; the decoder has its own bound (render.ts). */
const MAX_HEAP_MB = 64
/** Idle time after which the thread ends, because memory of WebAssembly never shrinks. */
const IDLE_MS = 20_000
/** What a thread takes with its first picture, however small: the library, its code and what compiles it. A quarter more than was measured. */
const THREAD_BYTES = 150 * MIB
/** The part of THREAD_BYTES that a started thread uses before its first picture, as measured. */
const STARTED_BYTES = 40 * MIB
/** The share of the memory that pictures leave: the system counts sockets and page tables, too. */
const RESERVED_SHARE = 1 / 16
/** The share of its memory with which the process may grow while a thread lives. One that has taken more ends after its picture. */
const MAX_GROWTH_SHARE = 3 / 8
/** How long a picture waits for memory, such as that of the picture before it. */
const ROOM_WAIT_MS = 4_000
/** Between two looks at the memory. */
const ROOM_PAUSE_MS = 250
/** When a client whose picture could not be decoded for want of time or memory may try again. */
const RETRY_SECONDS = 10

// Charges, in bytes of an answer that take as long.
/** The start of a thread. */
const CHARGED_BYTES_OF_START = 4_000_000
/** A look at a file, which is copied for it. */
const CHARGED_BYTES_OF_LOOK = 200_000
/** A file that is refused or stops the decoder, which may be started anew then. */
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
type Request = Omit<RenderRequest, 'roomBytes'>

/** The thread that decodes pictures: started for the first one, ended when idle, slow or broken. */
export function createRenderer({
  timeoutMs = RENDER_TIMEOUT_MS,
  memoryBytes = memoryLimit(),
  usedBytes = memoryInUse,
  freeBytes = freeOnMachine,
  roomWaitMs = ROOM_WAIT_MS,
  idleMs = IDLE_MS,
} = {}): Renderer {
  const turns = new Semaphore({ running: 1, runningPerClient: 1 })
  let worker: Worker | undefined
  let isReady = false
  /** What the process used when the thread was started. */
  let usedAtStart = 0
  /** What the thread has taken and keeps for the next picture, because memory of WebAssembly never shrinks. */
  let takenBytes = 0
  let isClosed = false
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
    takenBytes = 0
    await ended?.terminate()
  }

  const beginTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => settle?.('busy'), timeoutMs)
  }

  function start(): Worker {
    const resourceLimits = { maxOldGenerationSizeMb: MAX_HEAP_MB }
    const started = new Worker(SCRIPT, { resourceLimits, workerData: { memoryBytes } })
    takenBytes = STARTED_BYTES
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

  /** What a picture may take in the thread, and in one that is started instead of it. */
  function roomNow(): { readonly roomBytes: number; readonly newRoomBytes: number } {
    const used = usedBytes()
    usedAtStart = worker ? Math.min(usedAtStart, used) : used
    const reserved = memoryBytes * RESERVED_SHARE + THREAD_BYTES
    const leftBytes = Math.min(memoryBytes - used, freeBytes()) - reserved
    return { roomBytes: leftBytes + takenBytes, newRoomBytes: leftBytes + used - usedAtStart }
  }

  /** Asks a thread that has room for so much, if there is one or can be. */
  async function askWithRoom(request: Request, neededBytes: number): Promise<Outcome> {
    const { roomBytes, newRoomBytes } = roomNow()
    if (neededBytes > roomBytes) {
      if (!worker || neededBytes > newRoomBytes) return { neededBytes }
      await end()
      return askWithRoom(request, neededBytes)
    }
    charge?.(CHARGED_BYTES_OF_LOOK + (worker ? 0 : CHARGED_BYTES_OF_START))
    const outcome = await ask({ ...request, roomBytes })
    const isFull = typeof outcome === 'object' && 'neededBytes' in outcome
    return isFull ? askWithRoom(request, outcome.neededBytes) : outcome
  }

  async function renderNow(
    { consume, bytes, width, preview = false }: Work,
    refuse: Refuse,
    neededBytes: number,
  ): Promise<Rendered | NoRoom> {
    charge = consume
    const outcome = await askWithRoom({ bytes, width, preview }, neededBytes)
    if (outcome === 'busy' || 'broken' in outcome) {
      consume(CHARGED_BYTES_OF_FAILURE)
      await end()
      throw outcome === 'busy'
        ? new Rejection(OVERLOADED, BUSY, LATER)
        : refuse('cannot be decoded')
    }
    if ('rendered' in outcome) takenBytes = Math.max(takenBytes, THREAD_BYTES + outcome.tookBytes)
    const hasDecoded = !('neededBytes' in outcome)
    clearTimeout(idle)
    if (hasDecoded && usedBytes() - usedAtStart > memoryBytes * MAX_GROWTH_SHARE) await end()
    else if (worker) idle = setTimeout(() => void end(), idleMs).unref()
    worker?.unref()
    if ('neededBytes' in outcome) return outcome
    if ('rendered' in outcome) return outcome.rendered
    consume(CHARGED_BYTES_OF_FAILURE)
    throw refuse(outcome.refused)
  }

  /** Others have their turns while a picture waits for memory. */
  async function render(work: Work, refuse: Refuse): Promise<Rendered> {
    const until = performance.now() + roomWaitMs
    let neededBytes = 1
    for (;;) {
      // It may have been closed while this waited.
      if (isClosed) throw new NoRoomNow()
      const needed = neededBytes
      const done = await turns.run(work.client, () => renderNow(work, refuse, needed))
      if (!('neededBytes' in done)) return done
      if (performance.now() >= until) throw new NoRoomNow()
      neededBytes = done.neededBytes
      await pause(ROOM_PAUSE_MS)
    }
  }

  return {
    render,
    async close() {
      isClosed = true
      while (turns.running + turns.waiting > 0) await turns.run('', async () => {})
      await end()
    },
  }
}

const OVERLOADED = 'unavailable.overloaded'
const BUSY = 'this server is too busy to decode a picture; try again'
const LATER = { retryAfterSeconds: RETRY_SECONDS }

/** The server has too little memory for a picture, and is not asked again before the time that this names. */
export class NoRoomNow extends Rejection {
  constructor() {
    super(
      OVERLOADED,
      'this server has too little memory for a picture of this size at the moment; try again, or make it smaller',
      LATER,
    )
  }
}
