import type { Clock } from '../../clock.ts'
import type { Job, JobRun } from '../../jobs/job.ts'
import { toHex } from '../../protocol/bytes.ts'
import { hashOf } from '../../protocol/hash.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { sharedRuns } from '../../shared-runs.ts'
import type { BadgeMark, BadgeRun, BadgeSet } from '../../storage/badges.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Explanation, explainFid } from './explain.ts'
import { KEPT_SETS, MAX_MARKS } from './rules.ts'
import {
  beginRun,
  changeVersion,
  endRequest,
  REQUEST_CURSOR,
  requestRun,
  VERSION_CURSOR,
} from './runs.ts'
import { lastDue, nextDue } from './schedule.ts'
import type { BadgeSettings } from './settings.ts'
import { startComputation } from './thread.ts'

export type BadgesOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: BadgeSettings
  /** Runs a job by its name, now. */
  readonly runJob: (name: string) => Promise<void>
  readonly onError: (error: unknown, what: string) => void
}

/** Who has the badge now, as it is answered. */
export type Holders = {
  /** Ascending. */
  readonly fids: readonly number[]
  /** The whole answer, and a name for it that changes with it. */
  readonly body: string
  readonly etag: string
  /** Seconds until it is recalculated; 0 while a recalculation is overdue. */
  readonly freshSeconds: number
}

/** Power badges: the set of this week, what the operator changes about it, and why somebody is in it. */
export type Badges = {
  current(): Promise<Holders>
  explain(fid: number): Promise<Explanation>
  /** Adds or excludes a fid, from the next answer on. */
  mark(fid: number, kind: BadgeMark['kind'], reason: string): Promise<BadgeMark>
  /** Says whether there was a mark to take back. */
  unmark(fid: number): Promise<boolean>
  marks(): Promise<BadgeMark[]>
  sets(): Promise<BadgeRun[]>
  set(id: number): Promise<BadgeSet | undefined>
  /** Computes the set of the last Tuesday unless it is there. Does nothing unless this process is the leader. */
  runIfDue(): Promise<void>
  /** Has the set computed now, in place of the last one. Waits for that if this process is the leader. */
  runAgain(): Promise<void>
  /** The same, for callers that do not wait minutes for it. */
  runInBackground(): void
  /** Computes the set when it is due or was asked for. */
  readonly job: Job
}

const JOB = 'power badges'
/** How late a Tuesday or a request may be noticed. */
const CHECK_INTERVAL_MS = 15_000
/** Longest wait after runs that failed: each takes minutes of a large network's machine. */
const MAX_BACKOFF_MS = 10 * 60_000

type Cached = {
  readonly version: string
  /** -Infinity before the first set. */
  readonly due: number
} & Pick<Holders, 'fids' | 'body' | 'etag'>

export function createBadges(options: BadgesOptions): Badges {
  const { storage, clock, settings, runJob, onError } = options
  let cached: Cached | undefined

  // One small read an answer, however many ask: what another process or the operator changed is seen.
  const load = sharedRuns(async (): Promise<Cached> => {
    const [badgeVersion, moderationVersion] = await Promise.all([
      storage.cursors.get(VERSION_CURSOR),
      storage.moderation.version(),
    ])
    const version = `${badgeVersion}/${moderationVersion}`
    if (cached && cached.version === version) return cached
    const [set, marks, hidden] = await Promise.all([
      settings.max === 0 ? undefined : storage.badges.current(),
      storage.badges.marks(MAX_MARKS),
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
    const { result, stop } = startComputation({
      ...begun,
      storage: storage.settings,
      settings,
      now,
    })
    const abort = () => void stop()
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    try {
      await result
    } finally {
      signal.removeEventListener('abort', abort)
    }
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
      await storage.write('platform', async (tx) => {
        const isNew = (await tx.badges.mark(fid)) === undefined
        if (isNew && (await tx.badges.markCount()) >= MAX_MARKS) {
          throw new Rejection('bad_request', `no more than ${MAX_MARKS} fids can be marked`)
        }
        await tx.badges.putMark(mark)
        await changeVersion(tx)
      })
      return mark
    },
    unmark: (fid) =>
      storage.write('platform', async (tx) => {
        const removed = await tx.badges.removeMark(fid)
        if (removed) await changeVersion(tx)
        return removed
      }),
    marks: () => storage.badges.marks(MAX_MARKS),
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
