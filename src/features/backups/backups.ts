import { rm, statfs, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Registry } from 'prom-client'
import { runInThread } from '../../kernel/base/thread.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Job, JobRun } from '../../kernel/jobs/job.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type BackupRequest, PARTIAL } from './copy.ts'
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

/** How often the leader checks whether a backup is due; also the first wait after a failure. */
const CHECK_EVERY_MS = 10 * 60_000
const MAX_BACKOFF_MS = 3_600_000
/** How often every process reads what backups there are. */
const LIST_EVERY_MS = 60_000
const TOUCH_EVERY_MS = ABANDONED_MS / 10

export type BackupsOptions = {
  readonly storage: Pick<Storage, 'schema' | 'settings' | 'sizeBytes'>
  readonly network: number
  readonly keys: KeySettings
  readonly settingsHash: string
  readonly directory: string
  readonly intervalMs: number
  readonly keep: number
  readonly metrics: Registry
  /** Makes one backup, in a thread: copying and checking gigabytes block no request. */
  readonly script: URL
  readonly log: Pick<Logger, 'info' | 'error'>
  /** Unix ms by the machine's clock, which also dates the backups. */
  readonly now: () => number
}

/** Backups that the server makes by itself. */
export class Backups {
  readonly jobs: readonly Job[]
  readonly #options: BackupsOptions
  readonly #metrics: ReturnType<typeof createBackupMetrics>
  readonly #stopped = new AbortController()
  #kept: readonly KeptBackup[] = []
  #running: Promise<void> | undefined
  #failure: string | undefined

  constructor(options: BackupsOptions) {
    const { now, intervalMs } = options
    const startedMs = now()
    this.#options = options
    this.#metrics = createBackupMetrics(options.metrics, {
      intervalSeconds: intervalMs / SECOND_MS,
      ageSeconds: () => Math.max(0, now() - (this.#kept[0]?.startedMs ?? startedMs)) / SECOND_MS,
      kept: () => ({
        count: this.#kept.length,
        bytes: this.#kept.reduce((sum, { bytes }) => sum + bytes, 0),
      }),
    })
    this.jobs = [
      {
        name: 'make backups',
        scope: 'leader',
        everyMs: Math.min(CHECK_EVERY_MS, intervalMs),
        maxBackoffMs: MAX_BACKOFF_MS,
        run: (run) => this.#makeIfDue(run),
      },
      {
        name: 'list backups',
        scope: 'process',
        everyMs: LIST_EVERY_MS,
        firstAfterMs: 0,
        run: () => this.#list(),
      },
    ]
  }

  /** The complete backups as they were last read, newest first. */
  kept(): readonly KeptBackup[] {
    return this.#kept
  }

  /** Whether this process makes one now. */
  isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Why the last backup of this process failed, unless a later one succeeded. */
  lastFailure(): string | undefined {
    return this.#failure
  }

  /** Makes one now, or waits for the one that is being made. */
  make(signal: AbortSignal = this.#stopped.signal): Promise<void> {
    this.#running ??= this.#make(AbortSignal.any([signal, this.#stopped.signal])).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Ends the one that is being made. */
  abort(): void {
    this.#stopped.abort()
  }

  async #makeIfDue({ signal, repeatAfter }: JobRun): Promise<void> {
    await this.#list()
    if (!this.#isDue()) return
    await this.make(signal)
    // Also when it is dated in the future: by this process, not by its date.
    if (this.#isDue()) repeatAfter(this.#options.intervalMs)
  }

  /** A backup that is dated in the future does not keep others from being made. */
  #isDue(): boolean {
    const { now, intervalMs } = this.#options
    const age = now() - (this.#kept[0]?.startedMs ?? Number.NEGATIVE_INFINITY)
    return age < 0 || age >= intervalMs
  }

  async #list(): Promise<void> {
    const { directory, storage } = this.#options
    this.#kept = await listBackups(directory, storage.settings.network)
  }

  async #make(signal: AbortSignal): Promise<void> {
    const { storage, directory, keep, log } = this.#options
    try {
      await this.#copy(signal)
      const removed = await removeOld(directory, storage.settings.network, keep)
      await this.#list()
      const kept = this.#kept
      log.info({ backup: kept[0], directory, kept: kept.length, removed }, 'backup made')
      this.#failure = undefined
      this.#metrics.made('succeeded')
    } catch (error) {
      if (signal.aborted) throw error
      this.#failure = (error as Error).message
      this.#metrics.made('failed')
      throw error
    }
  }

  async #copy(signal: AbortSignal): Promise<void> {
    const { storage, network, keys, settingsHash, directory, now } = this.#options
    await removeAbandoned(directory, now())
    await checkSpace(storage, directory)
    const startedMs = now()
    const target = join(directory, backupName(startedMs))
    const request: BackupRequest = {
      storage: storage.settings,
      schema: storage.schema!.newest,
      network,
      keys,
      settings: settingsHash,
      directory: target,
      startedMs,
    }
    const touching = setInterval(() => touch(target + PARTIAL), TOUCH_EVERY_MS).unref()
    try {
      await runInThread(this.#options.script, request, signal)
    } finally {
      clearInterval(touching)
      await rm(target + PARTIAL, { recursive: true, force: true })
    }
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
