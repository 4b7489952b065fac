import { parentPort, workerData } from 'node:worker_threads'
import { Mutex } from './concurrency.ts'
import { collectWhenIdle } from './idle-memory.ts'
import { CLOSE } from './thread.ts'

/** What a thread does until it is closed. */
export type ThreadServer<Request> = {
  /** Posts the answers in the order of the requests. */
  take(request: Request): void
  /** Resolves when every request is answered and all resources are closed. */
  close(): Promise<void>
}

/** Serves the requests of a `Thread` in its thread. */
export function serveThread<Settings, Request, Response>(
  open: (settings: Settings, post: (response: Response) => void) => ThreadServer<Request>,
): void {
  collectWhenIdle()
  const post = (message: unknown) => parentPort?.postMessage(message)
  const server = open(workerData as Settings, post)
  parentPort?.on('message', (message: Request | typeof CLOSE) => {
    if (message === CLOSE) void server.close().then(() => post(CLOSE))
    else server.take(message as Request)
  })
}

/** A server that answers one request after the other. An error ends the thread. */
export function answerInOrder<Request, Response>(
  post: (response: Response) => void,
  answer: (request: Request) => Response | Promise<Response>,
  close: () => Promise<void> = async () => {},
): ThreadServer<Request> {
  const mutex = new Mutex()
  return {
    take(request) {
      const posted = mutex.run(async () => post(await answer(request)))
      posted.catch((error) => {
        throw error
      })
    },
    close: () => mutex.run(close),
  }
}
