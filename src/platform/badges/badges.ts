import { randomUUID } from 'node:crypto'
import { Cron } from 'croner'
import type { Clock } from '../../clock.ts'
import { toHex } from '../../protocol/bytes.ts'
import { hashOf } from '../../protocol/hash.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { sharedRuns } from '../../shared-runs.ts'
import type { BadgeMark, BadgeRun, BadgeSet } from '../../storage/badges.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Explanation, explainFid } from './explain.ts'
import { KEPT_SETS, MAX_MARKS } from './rules.ts'
import { changeVersion, claimRun, dropRun, RENEWAL_MS, renewRun, VERSION_CURSOR } from './runs.ts'
import { lastDue, nextDue } from './schedule.ts'
import type { BadgeSettings } from './settings.ts'
import { type Computation, startComputation } from './thread.ts'

export type BadgesOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly settings: BadgeSettings
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
  /** Computes the set of the last Tuesday unless it is there; resolves when there is nothing more to do here. */
  runIfDue(): Promise<void>
  /** Computes the set now, in place of the last one. */
  runAgain(): Promise<void>
  /** The same, for who does not wait minutes for it. */
  runInBackground(): void
  /** Looks from now on whether a run is due. */
  start(): void
  stop(): Promise<void>
}

/** A Tuesday is noticed this soon: every quarter of a minute, the full one among them. */
const CHECKS = '*/15 * * * * *'
/** After a run that failed. */
const RETRY_MS = 10 * 60_000

type Cached = {
  readonly version: string | undefined
  /** -Infinity before the first set. */
  readonly due: number
} & Pick<Holders, 'fids' | 'body' | 'etag'>

export function createBadges({ storage, clock, settings, onError }: BadgesOptions): Badges {
  const claimant = randomUUID()
  let cached: Cached | undefined
  let computation: Computation | undefined
  let stopped = false
  let retryAt = 0

  // One small read an answer, however many ask: what another process or the operator changed is seen.
  const load = sharedRuns(async (): Promise<Cached> => {
    const version = await storage.cursors.get(VERSION_CURSOR)
    if (cached && cached.version === version) return cached
    const [set, marks] = await Promise.all([
      settings.max === 0 ? undefined : storage.badges.current(),
      storage.badges.marks(MAX_MARKS),
    ])
    cached = { version, due: set?.due ?? Number.NEGATIVE_INFINITY, ...answerOf(set, marks) }
    return cached
  })

  const run = async (again: boolean): Promise<void> => {
    const now = clock.now()
    const due = lastDue(now)
    if (settings.max === 0 || stopped) return
    if (!again && (await load()).due >= due) return
    const claim = await claimRun(storage, { due, now, claimant, again })
    if (!claim) return
    computation = startComputation({ storage: storage.settings, claim, settings, now })
    const { result, stop } = computation
    if (stopped) void stop()
    const renewal = setInterval(() => {
      renewRun(storage, claim, clock.now())
        .then((isOurs) => (isOurs ? undefined : stop()))
        .catch((error) => onError(error, 'power badges'))
    }, RENEWAL_MS)
    try {
      await result
    } catch (error) {
      await dropRun(storage, claim)
      if (!stopped) throw error
    } finally {
      clearInterval(renewal)
      computation = undefined
    }
  }
  // Never two at a time here; who asks while one is under way gets one that begins after it.
  let last: Promise<void> = Promise.resolve()
  const inTurn = (again: boolean) =>
    sharedRuns(() => {
      const done = last.then(() => run(again))
      last = done.catch(() => {})
      return done
    })
  const runIfDue = inTurn(false)
  const runAgain = inTurn(true)
  const attempt = async () => {
    if (clock.now() < retryAt) return
    try {
      await runIfDue()
    } catch (error) {
      retryAt = clock.now() + RETRY_MS
      onError(error, 'power badges')
    }
  }
  let cron: Cron | undefined

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
    runIfDue,
    runAgain,
    runInBackground() {
      runAgain().catch((error) => onError(error, 'power badges'))
    },
    start() {
      cron = new Cron(CHECKS, { timezone: 'UTC', protect: true, unref: true }, attempt)
      void attempt()
    },
    async stop() {
      stopped = true
      cron?.stop()
      await computation?.stop()
      await last
    },
  }
}

/** The computed set with what the operator says about it. */
function answerOf(
  set: BadgeSet | undefined,
  marks: readonly BadgeMark[],
): Pick<Cached, 'fids' | 'body' | 'etag'> {
  const held = new Set(set?.fids)
  for (const { fid, kind } of marks) {
    if (kind === 'add') held.add(fid)
    else held.delete(fid)
  }
  const fids = [...held].sort((a, b) => a - b)
  const body = JSON.stringify({ result: { fids } })
  return { fids, body, etag: `"${toHex(hashOf(Buffer.from(body))).slice(2)}"` }
}
