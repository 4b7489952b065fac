import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '../../kernel/base/backoff.ts'
import { flush } from '../../kernel/base/flush.ts'
import { SECOND_MS } from '../../kernel/protocol/time.ts'
import { StoreUnavailable } from '../../kernel/storage/engines/unavailable.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { ExportRefused, type ExportRequest, RETRY, runExport, TargetAway } from './export.ts'
import { FileSink, MANIFEST, OWNER_ONLY_DIRECTORY, type Partition, writeManifest } from './files.ts'
import type { Format } from './formats.ts'
import { type Endpoint, HttpSink, positionAt } from './http.ts'
import { PostgresSink, positionIn } from './postgres.ts'
import type { Manifest, Sink } from './sink.ts'
import { positionInFile, SqliteSink } from './sqlite.ts'

// A continuous export: first a batch of everything, then batches of changes. A batch and its position are committed
// together, so that a follower that is killed at any moment resumes without a gap and without a duplicate.

export type Target = {
  /** The last event that it has; undefined: it has nothing yet. */
  position(): Promise<number | undefined>
  open(since: number | undefined): Promise<Sink>
  /** After the sink has finished. */
  keep(manifest: Manifest): Promise<void>
  /** Removes what is left of a batch that failed, so that it takes no room until the next try. */
  drop?(): Promise<void>
}

const BATCH = /^\d{6}$/
const NUMBER_DIGITS = 6
/** The folder of an incomplete batch. Each follower has its own, so that two in one directory never mix their files. */
const PART = 'part-'
/** Codes of Node for a folder that is not replaced, because it has files. */
const HAS_FILES: readonly unknown[] = ['ENOTEMPTY', 'EEXIST']

/** Numbered folders, each an export: the first of everything, the others of changes. */
export class FolderTarget implements Target {
  readonly #directory: string
  readonly #format: Format
  /** Of the batch that is written: the folder that it is in, and the one that it becomes. */
  #part = ''
  #whole = ''

  constructor(directory: string, format: Format) {
    this.#directory = directory
    this.#format = format
  }

  async position(): Promise<number | undefined> {
    const last = (await this.#batches()).at(-1)
    if (last === undefined) return undefined
    const text = await readFile(join(this.#directory, last, MANIFEST), 'utf8')
    return (JSON.parse(text) as Manifest).lastEventId
  }

  async open(): Promise<Sink> {
    await mkdir(this.#directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
    for (const name of await readdir(this.#directory)) {
      if (name.startsWith(PART)) await rm(join(this.#directory, name), { recursive: true })
    }
    const number = Number((await this.#batches()).at(-1) ?? 0) + 1
    this.#whole = join(this.#directory, String(number).padStart(NUMBER_DIGITS, '0'))
    this.#part = await mkdtemp(join(this.#directory, PART))
    return new FileSink(this.#part, this.#format)
  }

  async keep(manifest: Manifest): Promise<void> {
    await writeManifest(this.#part, manifest)
    await flush(this.#part)
    await rename(this.#part, this.#whole).catch((cause) => {
      if (!HAS_FILES.includes(cause.code)) throw cause
      throw new ExportRefused(
        `${this.#whole} cannot be made (${cause.code}): does another follower write into this directory?`,
      )
    })
    await flush(this.#directory)
  }

  async drop(): Promise<void> {
    await rm(this.#part, { recursive: true, force: true })
  }

  async #batches(): Promise<string[]> {
    if (!existsSync(this.#directory)) return []
    const names = await readdir(this.#directory)
    const other = names.find((name) => !BATCH.test(name) && !name.startsWith(PART))
    if (other === undefined) return names.filter((name) => BATCH.test(name)).sort()
    throw new ExportRefused(
      `${join(this.#directory, other)} was not made by --follow: name a new directory, or one that --follow made`,
    )
  }
}

/** A new directory, for one export. */
export const directoryTarget = (
  directory: string,
  format: Format,
  partition: Partition,
): Target => ({
  position: async () => undefined,
  async open() {
    await mkdir(directory, { recursive: true, mode: OWNER_ONLY_DIRECTORY })
    if ((await readdir(directory)).length > 0) {
      throw new ExportRefused(`${directory} is not empty: name a new directory`)
    }
    return new FileSink(directory, format, partition)
  },
  keep: (manifest) => writeManifest(directory, manifest),
})

/** A file of SQLite, which has the position, too. */
export const sqliteTarget = (file: string): Target => ({
  position: async () => positionInFile(file),
  open: (since) => SqliteSink.open(file, since),
  keep: async () => {},
})

/** An HTTP endpoint, which says its position itself. */
export const httpTarget = (endpoint: Endpoint): Target => ({
  position: () => positionAt(endpoint),
  open: async () => new HttpSink(endpoint),
  keep: async () => {},
})

/** The schema of a PostgreSQL; its transaction keeps the position, too. */
export const postgresTarget = (url: string): Target => ({
  position: () => positionIn(url),
  open: (since) => PostgresSink.open(url, since),
  keep: async () => {},
})

export type Follow = Pick<ExportRequest, 'network' | 'fids'> & {
  /** Between two batches, in seconds. */
  readonly everySeconds: number
  readonly stop: AbortSignal
  readonly onBatch?: (manifest: Manifest) => void
  readonly onFailure?: (text: string) => void
}

/** Writes batches until it is stopped, and the batch that it is in to its end, unless its target gave up when it was stopped. */
export async function followExport(
  storage: Storage,
  target: Target,
  follow: Follow,
): Promise<void> {
  try {
    await writeBatches(storage, target, follow)
  } catch (error) {
    if (!follow.stop.aborted || error !== follow.stop.reason) throw error
  }
}

/** What may pass is tried again for ever: nobody watches a follower. */
async function writeBatches(storage: Storage, target: Target, follow: Follow): Promise<void> {
  const { everySeconds, stop, onFailure } = follow
  for (let failures = 0; !stop.aborted; ) {
    let waitMs = everySeconds * SECOND_MS
    try {
      await writeBatch(storage, target, follow)
      failures = 0
    } catch (error) {
      const fault = passingFault(error)
      if (fault === undefined) throw error
      waitMs = backoffMs(RETRY, ++failures)
      onFailure?.(`${fault}; the next try is in ${Math.ceil(waitMs / SECOND_MS)} s`)
    }
    await delay(waitMs, undefined, { signal: stop }).catch(() => {})
  }
}

/** Codes of Node for a disk that has no room, or none for this user. */
const NO_ROOM: readonly unknown[] = ['ENOSPC', 'EDQUOT']

/** What is said of an error that may pass; undefined: it will not. */
function passingFault(error: unknown): string | undefined {
  if (error instanceof TargetAway || error instanceof StoreUnavailable) return error.message
  const { code, message, path } = error as NodeJS.ErrnoException
  if (!NO_ROOM.includes(code)) return undefined
  const where = path === undefined ? message : `${code}, ${path}`
  return `the disk has no room for the next batch (${where})`
}

/** Writes what the target lacks, which may be more than before: it may have been restored from a backup. */
async function writeBatch(
  storage: Storage,
  target: Target,
  { network, fids, onBatch }: Follow,
): Promise<void> {
  const since = await target.position()
  if (since !== undefined && (await storage.events.newestId()) <= since) return
  const sink = await target.open(since)
  try {
    const manifest = await runExport(storage, sink, { network, fids, since })
    await target.keep(manifest)
    onBatch?.(manifest)
  } catch (error) {
    await target.drop?.()
    throw error
  }
}
