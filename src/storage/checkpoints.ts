import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { runInThread } from '../thread.ts'

// A checkpoint copies pages of the write-ahead log into the main file and flushes that file, so that the log can begin again
// (decision 175). A thread does most of it while transactions go on. The writer does the end, since only between two
// transactions nothing is added to the log.

/** Pages of the log that the main file lacks, from which on the thread copies them. */
const MANY_PAGES = 2_000
/** The writer copies so many in a few milliseconds. */
const FEW_PAGES = 400
/** Pages of a log that should begin again. */
const LONG_LOG_PAGES = 4_000
/** When the log has so many pages, each commit tries to copy all that is left, however long that takes. */
export const MAX_LOG_PAGES = 8_000
const LOOK_MS = 100
/** A thread takes 6 MB, so it ends when it had nothing to do for three seconds. */
const LOOKS_BEFORE_END = 30
/**
 * Each round copies what was committed during the one before. A round that reaches the end of the log flushes the main file,
 * so it is the longest one, and the next rounds have less to flush.
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

/** Looks at the log, and copies from it as far as no reader needs the main file as it is. */
function logOf(database: DatabaseSync) {
  const look = database.prepare('pragma wal_checkpoint(noop)')
  const copy = database.prepare('pragma wal_checkpoint(passive)')
  return { look: () => look.get() as Log, copy: () => void copy.get() }
}

/** What the thread does: copies a log whenever it is long, until it was short for a while. */
export async function copyWhileLong({ file, flushes }: CheckpointSettings): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec(flushing(flushes))
  const { look, copy } = logOf(database)
  for (let shortLooks = 0; shortLooks < LOOKS_BEFORE_END; shortLooks++) {
    if (isLong(look())) {
      for (let round = 0; round < ROUNDS && lackingIn(look()) > 0; round++) copy()
      shortLooks = 0
    }
    await delay(LOOK_MS)
  }
  database.close()
}

/** For the writer, after each commit: copies the end of a long log, so that it begins again with the next commit. */
export function finishesLog(database: DatabaseSync): () => void {
  const { look, copy } = logOf(database)
  return () => {
    const now = look()
    if (now.log < LONG_LOG_PAGES || lackingIn(now) > FEW_PAGES) return
    try {
      copy()
    } catch {
      // What was committed is stored, and the next commit tries again.
    }
  }
}

/** Looks at the log from time to time and starts the thread when it is long. */
export function startCheckpoints(settings: CheckpointSettings): { close(): Promise<void> } {
  const database = new DatabaseSync(settings.file)
  const { look } = logOf(database)
  const closing = new AbortController()
  let running: Promise<void> | undefined
  const copyWhenLong = async () => {
    if (isLong(look())) await runInThread(THREAD, settings, closing.signal)
  }
  const looks = setInterval(() => {
    const end = () => {
      running = undefined
    }
    // After a failure the log is longer, and the next look or a commit tries again.
    running ??= copyWhenLong().then(end, end)
  }, LOOK_MS).unref()
  return {
    async close() {
      clearInterval(looks)
      closing.abort()
      await running
      database.close()
    },
  }
}
