import { Worker } from 'node:worker_threads'
import type { Rejection } from '../../protocol/rejection.ts'
import { Mutex } from '../concurrency.ts'
import type { Rendered, RenderRequest } from './render.ts'
import type { ThreadAnswer } from './render-thread.ts'

const SCRIPT = new URL('./render-thread.ts', import.meta.url)
/** The largest allowed picture takes about two seconds of an idle core. */
const RENDER_TIMEOUT_MS = 10_000
/** For JavaScript, which only reads headers and turns small pictures; the decoder has its own bound (render.ts). */
const MAX_HEAP_MB = 64
/** Idle time after which the thread ends, because memory of WebAssembly never shrinks. */
const IDLE_MS = 20_000

/** Makes the refusal of a file; `what` follows its name in a sentence. */
export type Refuse = (what: string) => Rejection

export type Renderer = {
  /** Renders one picture at a time, on one core. Every failure is a Rejection that `refuse` makes of what is wrong. */
  render(request: RenderRequest, refuse: Refuse): Promise<Rendered>
  close(): Promise<void>
}

/** The thread that decodes pictures: started for the first one, ended when idle, slow or broken. */
export function createRenderer({ timeoutMs = RENDER_TIMEOUT_MS } = {}): Renderer {
  const mutex = new Mutex()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  /** Ends the wait for the picture that is being rendered. */
  let settle: ((answer: ThreadAnswer) => void) | undefined

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  function start(): Worker {
    const started = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } })
    started.on('message', (answer: ThreadAnswer) => settle?.(answer))
    started.on('error', (error) => settle?.({ broken: String(error) }))
    started.on('exit', () => settle?.({ broken: 'the thread ended' }))
    return started
  }

  function ask(request: RenderRequest): Promise<ThreadAnswer> {
    clearTimeout(idle)
    worker ??= start()
    worker.ref()
    worker.postMessage(request)
    return new Promise<ThreadAnswer>((resolve) => {
      const timer = setTimeout(() => settle?.({ broken: 'took too long' }), timeoutMs)
      settle = (answer) => {
        clearTimeout(timer)
        settle = undefined
        resolve(answer)
      }
    })
  }

  async function renderNow(request: RenderRequest, refuse: Refuse): Promise<Rendered> {
    const answer = await ask(request)
    if ('broken' in answer) {
      await end()
      throw refuse('cannot be decoded')
    }
    idle = setTimeout(() => void end(), IDLE_MS).unref()
    worker?.unref()
    if ('refused' in answer) throw refuse(answer.refused)
    return answer.rendered
  }

  return {
    render: (request, refuse) => mutex.run(() => renderNow(request, refuse)),
    async close() {
      await mutex.idle()
      await end()
    },
  }
}
