import { resolve } from 'node:path'
import { locks } from 'node:worker_threads'
import { StoreUnavailable } from './unavailable.ts'

// SQLite has no queue: a connection that finds the file locked tries again at most every 100 ms, in which its thread does
// nothing else. Beside a thread that commits one batch after another it may fail for seconds.

/** How often a waiting writer checks whether the one before it has ended with its thread. */
const CHECK_MS = 1_000
/** No transaction takes so long; one that does is stuck. */
const MAX_WAIT_MS = 120_000
/** A lock that no writer asks for. */
const CHECK = 'rookery check'

/**
 * Runs `work` after all earlier writers of this file, in any thread of this process. When a thread ends within its `work`, the
 * next writer goes on.
 */
export async function inWriteTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  const waiting = new AbortController()
  const started = performance.now()
  // It also keeps the process alive, which a lock does not.
  const checks = setInterval(() => {
    if (performance.now() - started > MAX_WAIT_MS) waiting.abort(stuck())
    // Node gives the locks of a thread that has ended to the next ones when any lock is asked for.
    else void locks.request(CHECK, { ifAvailable: true }, () => {})
  }, CHECK_MS)
  const endChecks = () => clearInterval(checks)
  const inTurn = () => {
    endChecks()
    return work()
  }
  try {
    return await locks.request(`rookery write ${resolve(file)}`, { signal: waiting.signal }, inTurn)
  } finally {
    endChecks()
  }
}

const stuck = () =>
  new StoreUnavailable('timeout', `a transaction has not ended within ${MAX_WAIT_MS / 1_000} s`)
