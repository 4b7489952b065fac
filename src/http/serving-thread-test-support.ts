// A serving thread with routes of a test, and the same routes for the process's own thread.

import { isMainThread, parentPort, threadId } from 'node:worker_threads'
import Type from 'typebox'
import { serveThread } from '../thread-server.ts'
import { KeptAnswers } from './kept-answers.ts'
import { content, JSON_TYPE, octets, plainRead, type Route, route } from './route.ts'
import type { Notice, Opening, Order } from './serving-messages.ts'
import { serveInThread } from './thread-interface.ts'

/** More than the system takes from a server whose client reads nothing. */
const LARGE_BYTES = 32 * 1024 * 1024
const LARGE = new Uint8Array(isMainThread ? 0 : LARGE_BYTES)

const read = (path: string, answer: () => Uint8Array | string | Promise<never>): Route =>
  plainRead(
    { path, summary: 'A plain read', cost: { cpu: 'small' }, reply: Type.Unknown() },
    async () => content(await answer(), JSON_TYPE),
  )

const reads = [
  read('/v1/thread', () => String(threadId)),
  read('/v1/large', () => LARGE),
  read('/v1/never', () => new Promise<never>(() => {})),
  read('/v1/fault', () => {
    if (!isMainThread) setImmediate(() => process.nextTick(() => fail()))
    return 'null'
  }),
]

function fail(): never {
  throw new Error('a fault of a serving thread')
}

const submit = route(
  {
    method: 'POST',
    path: '/v1/submit',
    summary: 'Tells which thread has its body',
    body: octets({ description: 'bytes' }),
    reply: Type.Object({ thread: Type.Integer() }),
  },
  () => ({ thread: threadId }),
)

export const routes: readonly Route[] = [...reads, submit]

if (parentPort) {
  serveThread<Opening<undefined>, Order, Notice>((opening, post) =>
    serveInThread(opening, { routes: reads, keptAnswers: new KeptAnswers(1_000), post }),
  )
}
