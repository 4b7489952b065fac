import type { Clock } from '../../kernel/base/clock.ts'
import { singleFlight } from '../../kernel/base/concurrency.ts'
import { runInThread } from '../../kernel/base/thread.ts'
import type { Job, JobRun } from '../../kernel/jobs/job.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { hashOf } from '../../kernel/protocol/crypto/hash.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { ComputeRequest } from './badges-thread.ts'
import { type Failure, failuresOf, readRecord } from './records.ts'
import { beginRun, changeVersion, endRequest, REQUEST_CURSOR, requestRun } from './runs.ts'
import { lastDue, nextDue } from './schedule.ts'
import type { BadgeSettings } from './settings.ts'
import { type BadgeMark, type BadgeSet, badgeRows, MAX_BADGE_MARKS } from './tables/badges.ts'

const SCRIPT = new URL('./badges-thread.ts', import.meta.url)

export type BadgesOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: BadgeSettings
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/** The present badges, as they are answered. */
type Holders = {
  /** Ascending. */
  readonly fids: readonly number[]
  /** The whole answer, and its etag. */
  readonly body: string
  readonly etag: string
}

/** Why a fid has or lacks a badge, by the set in force. */
type Explanation = {
  readonly fid: number
  /** The present answer: the set with the operator's changes. */
  readonly hasBadge: boolean
  readonly mark: BadgeMark | undefined
  /** Undefined before the first run. */
  readonly set: BadgeSet | undefined
  readonly score: number
  /** From 1; undefined for accounts without a score. */
  readonly rank: number | undefined
  readonly supporters: number
  /** Missing requirements. The profile is checked only when nothing else is missing. */
  readonly failed: readonly Failure[]
}

const JOB = 'power badges'
/** The longest delay until a due Tuesday or a request is noticed. */
const CHECK_INTERVAL_MS = 15_000
/** Longest backoff after failed runs: each may take minutes of CPU in a large network. */
const MAX_BACKOFF_MS = 10 * 60_000

type Cached = Holders & {
  readonly version: string
  /** -Infinity before the first set. */
  readonly due: number
}

/** Power badges: the set in force, the operator's changes of it, and explanations. */
export class Badges {
  /** Computes the set when it is due or was requested. */
  readonly job: Job = {
    name: JOB,
    scope: 'leader',
    everyMs: CHECK_INTERVAL_MS,
    firstAfterMs: 0,
    maxBackoffMs: MAX_BACKOFF_MS,
    run: (run) => this.#run(run),
  }
  readonly #options: BadgesOptions
  readonly #load = singleFlight(() => this.#read())
  #cached: Cached | undefined

  constructor(options: BadgesOptions) {
    this.#options = options
  }

  /** `freshSeconds`: until the next recalculation; 0 while one is overdue. */
  async current(): Promise<Holders & { readonly freshSeconds: number }> {
    const { due, fids, body, etag } = await this.#load()
    const now = this.#options.clock.now()
    const isFresh = due >= lastDue(now)
    const freshSeconds = isFresh ? Math.floor((nextDue(now) - now) / 1000) : 0
    return { fids, body, etag, freshSeconds }
  }

  /** The set in force as it was computed, without the operator's changes. */
  set(): Promise<BadgeSet | undefined> {
    return this.#options.storage.of(badgeRows).current()
  }

  async explain(fid: number): Promise<Explanation> {
    const badges = this.#options.storage.of(badgeRows)
    const [set, mark] = await Promise.all([badges.current(), badges.mark(fid)])
    const record = set && (await readRecord(badges, set.id, fid))
    return {
      fid,
      hasBadge: mark ? mark.kind === 'add' : (set?.fids.includes(fid) ?? false),
      mark,
      set,
      score: record?.score ?? 0,
      rank: record?.rank,
      supporters: record?.supporters ?? 0,
      failed: record ? failuresOf(record.failed) : set ? ['below threshold'] : [],
    }
  }

  marks(): Promise<BadgeMark[]> {
    return this.#options.storage.of(badgeRows).marks()
  }

  /** Adds or excludes a fid, from the next answer on. */
  async mark(fid: number, kind: BadgeMark['kind'], reason: string): Promise<BadgeMark> {
    const { storage, clock } = this.#options
    const mark: BadgeMark = { fid, kind, reason, marked_at: clock.now() }
    await storage.write('all/badges', async (tx) => {
      const isNew = (await tx.of(badgeRows).mark(fid)) === undefined
      if (isNew && (await tx.of(badgeRows).markCount()) >= MAX_BADGE_MARKS) {
        throw new Rejection('bad_request', `no more than ${MAX_BADGE_MARKS} fids can be marked`)
      }
      await tx.of(badgeRows).putMark(mark)
      await changeVersion(tx)
    })
    return mark
  }

  /** Returns whether there was a mark to remove. */
  unmark(fid: number): Promise<boolean> {
    return this.#options.storage.write('all/badges', async (tx) => {
      const removed = await tx.of(badgeRows).removeMark(fid)
      if (removed) await changeVersion(tx)
      return removed
    })
  }

  /** Computes the set of the last Tuesday unless it exists. Does nothing unless this process is the leader. */
  runIfDue(): Promise<void> {
    return this.#options.runJob(JOB)
  }

  /** Computes the set now, replacing the last one. Waits for it if this process is the leader. */
  async runAgain(): Promise<void> {
    await requestRun(this.#options.storage)
    await this.#options.runJob(JOB)
  }

  /** The same, for callers that cannot wait minutes. */
  runInBackground(): void {
    this.runAgain().catch((error) => this.#options.onError(error, JOB))
  }

  /** One small read for each answer shows changes by other processes and the operator. */
  async #read(): Promise<Cached> {
    const { storage, settings } = this.#options
    const [badgeVersion, moderationVersion] = await Promise.all([
      storage.of(badgeRows).version(),
      storage.moderation.version(),
    ])
    const version = `${badgeVersion}/${moderationVersion}`
    if (this.#cached?.version === version) return this.#cached
    const [set, marks, hidden] = await Promise.all([
      settings.max === 0 ? undefined : storage.of(badgeRows).current(),
      storage.of(badgeRows).marks(),
      storage.moderation.hiddenFids(),
    ])
    const due = set?.due ?? Number.NEGATIVE_INFINITY
    this.#cached = { version, due, ...answerOf(set, marks, hidden) }
    return this.#cached
  }

  async #run({ signal, lease }: JobRun): Promise<void> {
    const { storage, clock, settings } = this.#options
    const now = clock.now()
    const due = lastDue(now)
    if (settings.max === 0 || !lease) return
    const request = await storage.cursors.get(REQUEST_CURSOR)
    if (!request && (await this.#load()).due >= due) return
    const run = await beginRun(storage, due, lease)
    const computed: ComputeRequest = { ...run, storage: storage.settings, settings, now }
    // Minutes of computation block no request.
    await runInThread(SCRIPT, computed, signal)
    if (request) await endRequest(storage, request)
  }
}

/** The computed set with the operator's changes, without the accounts that moderation hides. */
function answerOf(
  set: BadgeSet | undefined,
  marks: readonly BadgeMark[],
  hidden: readonly number[],
): Holders {
  const held = new Set(set?.fids)
  for (const { fid, kind } of marks) {
    if (kind === 'add') held.add(fid)
    else held.delete(fid)
  }
  for (const fid of hidden) held.delete(fid)
  const fids = [...held].sort((a, b) => a - b)
  const body = JSON.stringify({ result: { fids } })
  return { fids, body, etag: `"${toHex(hashOf(Buffer.from(body))).slice(2)}"` }
}
