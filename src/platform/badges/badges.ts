import type { Clock } from '../../base/clock.ts'
import { singleFlight } from '../../base/concurrency.ts'
import { runInThread } from '../../base/thread.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { hashOf } from '../../protocol/crypto/hash.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Storage } from '../../storage/storage.ts'
import {
  type BadgeMark,
  type BadgeRun,
  type BadgeSet,
  MAX_BADGE_MARKS,
} from '../../storage/tables/badges.ts'
import type { ComputeRequest } from './badges-thread.ts'
import { type Explanation, explainFid } from './explain.ts'
import { KEPT_SETS } from './rules.ts'
import { beginRun, changeVersion, endRequest, REQUEST_CURSOR, requestRun } from './runs.ts'
import { lastDue, nextDue } from './schedule.ts'
import type { BadgeSettings } from './settings.ts'

const SCRIPT = new URL('./badges-thread.ts', import.meta.url)

type BadgesOptions = {
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
  /** Seconds until the next recalculation; 0 while one is overdue. */
  readonly freshSeconds: number
}

/** Power badges: the present set, the operator's changes of it, and explanations. */
export type Badges = {
  current(): Promise<Holders>
  explain(fid: number): Promise<Explanation>
  /** Adds or excludes a fid, from the next answer on. */
  mark(fid: number, kind: BadgeMark['kind'], reason: string): Promise<BadgeMark>
  /** Returns whether there was a mark to remove. */
  unmark(fid: number): Promise<boolean>
  marks(): Promise<BadgeMark[]>
  sets(): Promise<BadgeRun[]>
  set(id: number): Promise<BadgeSet | undefined>
  /** Computes the set of the last Tuesday unless it exists. Does nothing unless this process is the leader. */
  runIfDue(): Promise<void>
  /** Computes the set now, replacing the last one. Waits for it if this process is the leader. */
  runAgain(): Promise<void>
  /** The same, for callers that cannot wait minutes. */
  runInBackground(): void
  /** Computes the set when it is due or was requested. */
  readonly job: Job
}

const JOB = 'power badges'
/** The longest delay until a due Tuesday or a request is noticed. */
const CHECK_INTERVAL_MS = 15_000
/** Longest backoff after failed runs: each may take minutes of CPU in a large network. */
const MAX_BACKOFF_MS = 10 * 60_000

type Cached = {
  readonly version: string
  /** -Infinity before the first set. */
  readonly due: number
} & Pick<Holders, 'fids' | 'body' | 'etag'>

export function createBadges(options: BadgesOptions): Badges {
  const { storage, clock, settings, runJob, onError } = options
  let cached: Cached | undefined

  // One small read for each answer shows changes by other processes and the operator.
  const load = singleFlight(async (): Promise<Cached> => {
    const [badgeVersion, moderationVersion] = await Promise.all([
      storage.badges.version(),
      storage.moderation.version(),
    ])
    const version = `${badgeVersion}/${moderationVersion}`
    if (cached && cached.version === version) return cached
    const [set, marks, hidden] = await Promise.all([
      settings.max === 0 ? undefined : storage.badges.current(),
      storage.badges.marks(),
      storage.moderation.hiddenFids(),
    ])
    cached = { version, due: set?.due ?? Number.NEGATIVE_INFINITY, ...answerOf(set, marks, hidden) }
    return cached
  })

  const run = async ({ signal, lease }: JobRun): Promise<void> => {
    const now = clock.now()
    const due = lastDue(now)
    if (settings.max === 0 || !lease) return
    const request = await storage.cursors.get(REQUEST_CURSOR)
    if (!request && (await load()).due >= due) return
    const begun = await beginRun(storage, { due, again: Boolean(request), lease })
    if (!begun) return
    const computed: ComputeRequest = { ...begun, storage: storage.settings, settings, now }
    // Minutes of computation block no request. Until its last transaction it has stored nothing that is read.
    await runInThread(SCRIPT, computed, signal)
    if (request) await endRequest(storage, request)
  }
  const runAgain = async () => {
    await requestRun(storage)
    await runJob(JOB)
  }

  return {
    async current() {
      const { due, fids, body, etag } = await load()
      const now = clock.now()
      const isFresh = due >= lastDue(now)
      const freshSeconds = isFresh ? Math.floor((nextDue(now) - now) / 1000) : 0
      return { fids, body, etag, freshSeconds }
    },
    explain: (fid) => explainFid(storage, fid, clock.now()),
    async mark(fid, kind, reason) {
      const mark: BadgeMark = { fid, kind, reason, marked_at: clock.now() }
      await storage.write('all/badges', async (tx) => {
        const isNew = (await tx.badges.mark(fid)) === undefined
        if (isNew && (await tx.badges.markCount()) >= MAX_BADGE_MARKS) {
          throw new Rejection('bad_request', `no more than ${MAX_BADGE_MARKS} fids can be marked`)
        }
        await tx.badges.putMark(mark)
        await changeVersion(tx)
      })
      return mark
    },
    unmark: (fid) =>
      storage.write('all/badges', async (tx) => {
        const removed = await tx.badges.removeMark(fid)
        if (removed) await changeVersion(tx)
        return removed
      }),
    marks: () => storage.badges.marks(),
    sets: () => storage.badges.list(KEPT_SETS),
    set: (id) => storage.badges.byId(id),
    runIfDue: () => runJob(JOB),
    runAgain,
    runInBackground() {
      runAgain().catch((error) => onError(error, JOB))
    },
    job: {
      name: JOB,
      scope: 'leader',
      everyMs: CHECK_INTERVAL_MS,
      firstAfterMs: 0,
      maxBackoffMs: MAX_BACKOFF_MS,
      run,
    },
  }
}

/** The computed set with what the operator says about it, without the accounts that moderation hides. */
function answerOf(
  set: BadgeSet | undefined,
  marks: readonly BadgeMark[],
  hidden: readonly number[],
): Pick<Cached, 'fids' | 'body' | 'etag'> {
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
