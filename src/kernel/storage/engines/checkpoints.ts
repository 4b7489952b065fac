import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { runInThread } from '../../base/thread.ts'

// A checkpoint copies pages of the write-ahead log into the main file and flushes that file. SQLite then writes the log from its
// start again, so the log stays short (docs/design/submits.md). A thread copies most pages while transactions go on. The writing connection
// copies the rest between two transactions, because only then nothing is added to the log.

/** The thread copies the log when so many of its pages are not in the main file yet. */
const MANY_PAGES = 2_000
/** The writer copies at most so many pages after a commit, which takes a few milliseconds. */
const FEW_PAGES = 400
/** The writer leaves a log of fewer pages alone. */
const LONG_LOG_PAGES = 4_000
/** When the log has so many pages, each commit tries to copy all that are left, however long that takes. */
export const MAX_LOG_PAGES = 8_000
const CHECK_MS = 100
/** A thread takes 6 MB, so it ends when it had nothing to do for three seconds. */
const SHORT_CHECKS_BEFORE_END = 30
/**
 * How often the thread copies in a row. Each time it copies what was committed meanwhile. SQLite flushes the main file when it has
 * copied the whole log, which takes tens of milliseconds once and little the next time.
 */
const ROUNDS = 5

const THREAD = new URL('./checkpoint-thread.ts', import.meta.url)

/** The file of a store, and whether its commits wait for the disk. */
export type CheckpointSettings = { readonly file: string; readonly flushes: boolean }

export const flushing = (flushes: boolean) => `pragma synchronous = ${flushes ? 'full' : 'off'}`

/** Pages of the log, and how many of them the main file has. */
type Log = { readonly log: number; readonly checkpointed: number }

const lackingIn = ({ log, checkpointed }: Log): number => log - checkpointed
const isLong = (log: Log): boolean => lackingIn(log) >= MANY_PAGES

/** Reads how long the log is, and copies from it as far as no reader needs the main file as it is. */
function logOf(database: DatabaseSync) {
  const read = database.prepare('pragma wal_checkpoint(noop)')
  const copy = database.prepare('pragma wal_checkpoint(passive)')
  return { read: () => read.get() as Log, copy: () => void copy.get() }
}

/** Runs in the thread: copies the log each time it is long. Returns when it has been short for three seconds. */
export async function copyWhileLong({ file, flushes }: CheckpointSettings): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec(flushing(flushes))
  const { read, copy } = logOf(database)
  for (let shortChecks = 0; shortChecks < SHORT_CHECKS_BEFORE_END; shortChecks++) {
    if (isLong(read())) {
      for (let round = 0; round < ROUNDS && lackingIn(read()) > 0; round++) copy()
      shortChecks = 0
    }
    await delay(CHECK_MS)
  }
  database.close()
}

/**
 * The writer calls the result after each commit. When the log is long and the thread has copied nearly all of it, this copies the
 * rest, so that the next commit writes the log from its start again.
 */
export function finishesLog(database: DatabaseSync): () => void {
  const { read, copy } = logOf(database)
  return () => {
    try {
      const now = read()
      if (now.log >= LONG_LOG_PAGES && lackingIn(now) <= FEW_PAGES) copy()
    } catch {
      // The commit succeeded and must not be reported as failed. The next one tries again.
    }
  }
}

/** Checks the log from time to time and starts the thread when it is long. */
export function startCheckpoints(settings: CheckpointSettings): { close(): Promise<void> } {
  const database = new DatabaseSync(settings.file)
  const { read } = logOf(database)
  const closing = new AbortController()
  let running: Promise<void> | undefined
  const copyWhenLong = async () => {
    if (isLong(read())) await runInThread(THREAD, settings, closing.signal)
  }
  const checks = setInterval(() => {
    const end = () => {
      running = undefined
    }
    // A thread that failed is started again at the next check.
    running ??= copyWhenLong().then(end, end)
  }, CHECK_MS).unref()
  return {
    async close() {
      clearInterval(checks)
      closing.abort()
      await running
      database.close()
    },
  }
}
