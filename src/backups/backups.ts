import { rm, statfs, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Registry } from 'prom-client'
import { runInThread } from '../base/thread.ts'
import type { Logger } from '../http/logger.ts'
import type { Job } from '../jobs/job.ts'
import type { Storage } from '../storage/storage.ts'
import { PARTIAL } from './copy.ts'
import {
  ABANDONED_MS,
  backupName,
  type KeptBackup,
  listBackups,
  removeAbandoned,
  removeOld,
} from './kept-backups.ts'
import type { KeySettings } from './keys.ts'
import { createBackupMetrics } from './metrics.ts'

/** Copying and checking gigabytes in a thread blocks no request. */
const SCRIPT = new URL('./backup-thread.ts', import.meta.url)
const MS_PER_SECOND = 1_000
/** How often the leader looks whether a backup is due, and how soon it repeats one that failed. */
const CHECK_EVERY_MS = 10 * 60_000
const MAX_BACKOFF_MS = 3_600_000
/** How often every process reads what backups there are. */
const LIST_EVERY_MS = 60_000
const TOUCH_EVERY_MS = ABANDONED_MS / 10

export type BackupsOptions = {
  readonly storage: Pick<Storage, 'settings' | 'sizeBytes'>
  readonly network: number
  readonly keys: KeySettings
  readonly settingsHash: string
  readonly directory: string
  readonly intervalMs: number
  readonly keep: number
  readonly metrics: Registry
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Unix ms by the machine's clock, which also dates the backups. */
  readonly now: () => number
}

/** Backups that the server makes by itself. */
export type Backups = {
  readonly jobs: readonly Job[]
  /** The complete backups as they were last read, newest first. */
  kept(): readonly KeptBackup[]
  /** Whether this process makes one now. */
  isRunning(): boolean
  /** Why the last backup of this process failed, unless a later one succeeded. */
  lastFailure(): string | undefined
  /** Makes one now, or waits for the one that is being made. */
  make(): Promise<void>
  /** Ends the one that is being made. */
  abort(): void
}

export function createBackups(options: BackupsOptions): Backups {
  const { storage, directory, keep, intervalMs, now, log } = options
  const { network: name } = storage.settings
  const stopped = new AbortController()
  const startedMs = now()
  let kept: readonly KeptBackup[] = []
  let running: Promise<void> | undefined
  let failure: string | undefined
  const metrics = createBackupMetrics(options.metrics, {
    intervalSeconds: intervalMs / MS_PER_SECOND,
    ageSeconds: () => Math.max(0, now() - (kept[0]?.startedMs ?? startedMs)) / MS_PER_SECOND,
    kept: () => ({ count: kept.length, bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) }),
  })

  async function list(): Promise<void> {
    kept = await listBackups(directory, name)
  }

  async function makeOne(signal: AbortSignal): Promise<void> {
    await removeAbandoned(directory, now())
    await checkSpace(storage, directory)
    const startedMs = now()
    const target = join(directory, backupName(startedMs))
    const touching = setInterval(() => touch(target + PARTIAL), TOUCH_EVERY_MS)
    touching.unref()
    try {
      await runInThread(
        SCRIPT,
        {
          storage: storage.settings,
          network: options.network,
          keys: options.keys,
          settings: options.settingsHash,
          directory: target,
          startedMs,
        },
        signal,
      )
    } finally {
      clearInterval(touching)
      await rm(target + PARTIAL, { recursive: true, force: true })
    }
    const removed = await removeOld(directory, name, keep)
    await list()
    log.info({ backup: kept[0], directory, kept: kept.length, removed }, 'backup made')
  }

  async function makeCounted(signal: AbortSignal): Promise<void> {
    try {
      await makeOne(signal)
      failure = undefined
      metrics.made('succeeded')
    } catch (error) {
      if (signal.aborted) throw error
      failure = (error as Error).message
      metrics.made('failed')
      throw error
    }
  }

  function make(signal: AbortSignal): Promise<void> {
    running ??= makeCounted(AbortSignal.any([signal, stopped.signal])).finally(() => {
      running = undefined
    })
    return running
  }

  /** A backup that is dated in the future does not keep others from being made. */
  function isDue(): boolean {
    const age = now() - (kept[0]?.startedMs ?? Number.NEGATIVE_INFINITY)
    return age < 0 || age >= intervalMs
  }

  return {
    jobs: [
      {
        name: 'make backups',
        scope: 'leader',
        everyMs: Math.min(CHECK_EVERY_MS, intervalMs),
        maxBackoffMs: MAX_BACKOFF_MS,
        async run({ signal, repeatAfter }) {
          await list()
          if (!isDue()) return
          await make(signal)
          // Also when it is dated in the future: by this process, not by its date.
          if (isDue()) repeatAfter(intervalMs)
        },
      },
      {
        name: 'list backups',
        scope: 'process',
        everyMs: LIST_EVERY_MS,
        firstAfterMs: 0,
        run: list,
      },
    ],
    kept: () => kept,
    isRunning: () => running !== undefined,
    lastFailure: () => failure,
    make: () => make(stopped.signal),
    abort: () => stopped.abort(),
  }
}

/** Shows other processes that a backup is being made. */
function touch(path: string): void {
  const time = new Date()
  utimes(path, time, time).catch(() => {})
}

/** A copy is as large as the store. A full disk would also stop the server's writes. */
async function checkSpace({ sizeBytes }: BackupsOptions['storage'], directory: string) {
  const disk = await statfs(directory).catch(() =>
    statfs(dirname(directory)).catch(() => undefined),
  )
  if (disk === undefined) return
  const free = disk.bavail * disk.bsize
  const needed = await sizeBytes()
  if (free > needed) return
  throw new Error(`${directory} has ${free} bytes free, and a backup needs ${needed}`)
}
