import { setImmediate as nextTurn } from 'node:timers/promises'
import { Semaphore } from '../base/concurrency.ts'
import { Rejection } from '../protocol/rejection.ts'
import { clientOf } from './client-budget.ts'
import type { Exchange } from './exchange.ts'

/** Expensive reads that run at a time, in all and of one client. Between them other requests are answered. */
const MAX_RUNNING = 4
const MAX_RUNNING_PER_CLIENT = 2
/** Expensive reads that wait, in all and of one client, and for how long. */
const MAX_WAITING = 4_000
const MAX_WAITING_PER_CLIENT = 1_000
const TIMEOUT_MS = 15_000

const busy = () =>
  new Rejection('unavailable.overloaded', 'too many large reads are waiting', {
    retryAfterSeconds: 1,
  })

/** All interfaces of a process share its thread. */
const semaphore = new Semaphore({
  running: MAX_RUNNING,
  runningPerClient: MAX_RUNNING_PER_CLIENT,
  queue: {
    waiting: MAX_WAITING,
    waitingPerClient: MAX_WAITING_PER_CLIENT,
    timeoutMs: TIMEOUT_MS,
    clientError: busy,
    busyError: busy,
  },
})

/** Runs an expensive read when it is its client's turn. Throws when the client has gone meanwhile. */
export function inTurn<T>(exchange: Exchange, read: () => T | Promise<T>): Promise<T> {
  return semaphore.run(clientOf(exchange.ip), async () => {
    await nextTurn()
    if (!exchange.isConnected) throw new Rejection('unavailable', 'the client has gone')
    return read()
  })
}
