import { checkLease, type Job } from '../../kernel/jobs/job.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { moderationLogRows, reportRows } from '../moderation-records/port.ts'
import { MAX_OPEN_REPORTS } from './reports.ts'
import { type HeldCast, heldRows } from './tables/held.ts'

/** Who reports held casts: nobody has this fid. */
export const SERVER_FID = 0
/** How late a held cast is in the queue. */
const QUEUE_EVERY_MS = 1_000
/** Held casts in one transaction. */
const BATCH = 100
/** Held casts of one account that wait at a time. Further ones stay hidden; their author may appeal. */
const MAX_WAITING_PER_FID = 20
const REASON = 'Nobody else sees it before a moderator has looked at it.'

/** Puts held casts into the queue of the moderators, and tells their authors. */
export const heldCastsJob = (storage: Storage, now: () => number): Job => ({
  name: 'queue held casts',
  scope: 'leader',
  everyMs: QUEUE_EVERY_MS,
  firstAfterMs: 0,
  run: async ({ signal, lease }) => {
    while ((await storage.of(heldRows).newCasts(1)).length > 0) {
      signal.throwIfAborted()
      await storage.write(['hub', 'all/reports'], async (tx) => {
        if (lease) await checkLease(tx, lease)
        for (const held of await tx.of(heldRows).newCasts(BATCH)) await queue(tx, held, now())
      })
    }
  },
})

async function queue(tx: Writer, held: HeldCast, now: number): Promise<void> {
  const { hash, fid, term } = held
  const reports = tx.of(reportRows)
  await tx.of(heldRows).putCasts([{ ...held, state: 'queued' }])
  await tx.of(moderationLogRows).add({
    ...{ at: now, actor: 'server', action: 'hold', fid, cast_hash: hash, name: null },
    reason: REASON,
  })
  const waiting = (await reports.openOf(fid, MAX_OPEN_REPORTS)).filter(
    ({ reporter_fid }) => reporter_fid === SERVER_FID,
  )
  if (waiting.length >= MAX_WAITING_PER_FID) return
  if ((await reports.count('open')) >= MAX_OPEN_REPORTS) return
  await reports.add({
    ...{ reporter_fid: SERVER_FID, fid, cast_hash: hash, mini_app: null },
    ...{ reason: `Held for “${term}”`, state: 'open', created_at: now },
    ...{ resolved_at: null, resolution: null, answer: null },
  })
}
