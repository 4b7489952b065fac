import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { runInThread } from '../../base/thread.ts'
import { flushing } from './checkpoints.ts'
import { inWriteTurn } from './write-turn.ts'

// Overwrites deleted rows in the files of the embedded store. `secure_delete` overwrites rows and pages that are
// deleted, but not the copies that SQLite leaves in the unused part of a page when it moves rows to another one.

/**
 * Files up to this size are written anew, which leaves nothing of deleted rows. It takes half a second, in which
 * submits wait, and as much memory. In larger files copies of about one deleted row in a hundred may remain until their
 * page is filled again.
 */
const MAX_REWRITTEN_BYTES = 64 * 1024 * 1024
const RETRY_MS = 50
/** A running backup holds the log. */
const MAX_WAIT_MS = 30_000

const THREAD = new URL('./overwrite-thread.ts', import.meta.url)

export type OverwriteSettings = { readonly files: readonly string[]; readonly flushes: boolean }

/** Throws when readers hold the write-ahead log for too long; the caller repeats it later. */
export const overwriteDeleted = (settings: OverwriteSettings, signal: AbortSignal): Promise<void> =>
  runInThread(THREAD, settings, signal)

/** Runs in the thread. */
export async function overwriteFiles({ files, flushes }: OverwriteSettings): Promise<void> {
  for (const file of files) {
    const database = new DatabaseSync(file)
    try {
      database.exec(`${flushing(flushes)}; pragma secure_delete = on; pragma temp_store = memory`)
      if (statSync(file).size <= MAX_REWRITTEN_BYTES)
        await untilFree(file, () => database.exec('vacuum'))
      const truncate = database.prepare('pragma wal_checkpoint(truncate)')
      await untilFree(file, () => truncate.get()?.busy === 0)
    } finally {
      database.close()
    }
  }
}

/**
 * Repeats `attempt` while it returns false or throws because something is locked. Writers wait for an attempt, so none
 * waits for readers.
 */
async function untilFree(file: string, attempt: () => unknown): Promise<void> {
  for (const start = performance.now(); ; await delay(RETRY_MS)) {
    try {
      if ((await inWriteTurn(file, async () => attempt())) !== false) return
    } catch (error) {
      if (!isLocked(error)) throw error
    }
    if (performance.now() - start > MAX_WAIT_MS) throw new Error(`${file} is in use all the time`)
  }
}

/** SQLITE_BUSY or SQLITE_LOCKED. */
const isLocked = (error: unknown): boolean =>
  [5, 6].includes(((error as { errcode?: number })?.errcode ?? 0) & 0xff)
