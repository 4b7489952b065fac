import type { Clock } from '../../kernel/base/clock.ts'
import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import { HOUR_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import type { Storage } from '../../kernel/storage/storage.ts'

const EVERY_MS = 60 * 60_000
/** Activity is reported for the last week. */
const ACTIVITY_HOURS = 7 * 24
const ACTIVE_FIDS_PER_RUN = 10_000
/** Counting more takes seconds; `rookery verify` reports what differs in a larger store. */
const MAX_MESSAGES = 10_000_000

/**
 * Corrects counts that are kept beside the rows. During a rolling upgrade processes of an earlier version
 * write rows, and do not keep a count that a later version has added.
 *
 * A statement reads a count and its rows from one snapshot, so their difference is what is missing, whatever
 * is counted meanwhile.
 */
export const createRecount = (storage: Storage, clock: Clock): Job => ({
  name: 'correct kept counts',
  scope: 'leader',
  everyMs: EVERY_MS,
  async run({ lease }) {
    if ((await storage.messages.count()) > MAX_MESSAGES) return
    const hour = Math.floor(networkTime(clock.now()) / HOUR_SECONDS) - ACTIVITY_HOURS
    const wrong = await storage.audit.wrongTotals()
    const active = await storage.audit.missingActivity(hour, ACTIVE_FIDS_PER_RUN)
    if (wrong.length === 0 && active.length === 0) return
    const drifts = wrong.map(({ name, kept, rows }) => ({ name, missing: rows - kept }))
    const parts = [...new Set(storage.schema!.totals.flatMap(({ part }) => part ?? []))]
    await storage.write(['hub', ...parts], async (tx) => {
      if (lease) await checkLease(tx, lease)
      await tx.activity.correct(drifts, active)
    })
  },
})
