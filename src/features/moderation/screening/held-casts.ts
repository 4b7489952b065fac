import { checkLease, type Job } from '../../../kernel/jobs/job.ts'
import type { Reader, Storage, Writer } from '../../../kernel/storage/storage.ts'
import {
  moderationLogRows,
  REASONS,
  reportRows,
  UNANSWERED,
} from '../../moderation-records/port.ts'
import { MAX_OPEN_REPORTS, resolveAll, SERVER_FID } from '../resolving.ts'
import { type HeldCast, type HeldState, heldRows } from '../tables/held.ts'

/** How late a held cast is in the queue. */
const QUEUE_EVERY_MS = 1_000
/** How long after a look at all held casts another one is due, though nothing seems to have changed: accounts are erased, and messages go with their keys. */
const LOOK_EVERY_SECONDS = 60
/** Held casts in one transaction. */
const BATCH = 100
/** Reports about deleted casts that one transaction answers. */
const FORGOTTEN_AT_ONCE = 200
/** Held casts of one account that are in the queue at a time. Further ones come into it when these are decided. */
export const MAX_QUEUED_PER_FID = 20
const DELETED = { actor: 'server', reason: REASONS.server.deleted }

type Parts = {
  readonly storage: Pick<Storage, 'of' | 'write'>
  /** Unix seconds. */
  readonly now: () => number
  readonly maxOpenReports?: number
}

/** Puts held casts into the queue of the moderators, and tells their authors. Takes those that were deleted out of it. */
export const heldCastsJob = ({ storage, now, maxOpenReports = MAX_OPEN_REPORTS }: Parts): Job => {
  /** Those that may be queued now: what is full leaves the others as they are. */
  const next = async (reader: Pick<Reader, 'of'>, limit: number): Promise<HeldCast[]> => {
    const reports = reader.of(reportRows)
    // The other half is for what members report.
    const ofServer = Math.floor(maxOpenReports / 2) - (await reports.openBy(SERVER_FID))
    const room = Math.min(ofServer, maxOpenReports - (await reports.count('open')))
    if (room <= 0) return []
    return reader.of(heldRows).newCasts(MAX_QUEUED_PER_FID, Math.min(limit, room))
  }
  const hasWork = async () =>
    (await storage.of(heldRows).goneCasts(1)).length > 0 || (await next(storage, 1)).length > 0
  /** Of the last look that found nothing to do. */
  let looked: { readonly at: number; readonly state: HeldState } | undefined
  const isUnchanged = ({ decided, held }: HeldState): boolean =>
    looked !== undefined &&
    now() - looked.at < LOOK_EVERY_SECONDS &&
    decided === looked.state.decided &&
    held === looked.state.held &&
    // More may have come in the second of the newest one.
    (held === null || held < looked.at)
  return {
    name: 'queue held casts',
    scope: 'leader',
    everyMs: QUEUE_EVERY_MS,
    firstAfterMs: 0,
    // Each transaction ends the wait of one cast at least, or of as many reports as one answers.
    run: async ({ signal, lease }) => {
      let state = await storage.of(heldRows).state()
      if (isUnchanged(state)) return
      const at = now()
      looked = undefined
      while (await hasWork()) {
        signal.throwIfAborted()
        await storage.write(['hub', 'all/reports'], async (tx) => {
          if (lease) await checkLease(tx, lease)
          let room = FORGOTTEN_AT_ONCE
          for (const held of await tx.of(heldRows).goneCasts(BATCH)) {
            if (room > 0) room -= await forget(tx, held, room, now())
          }
          await queue(tx, await next(tx, BATCH), now())
        })
        // Before the next look: what comes meanwhile is seen by that one or changes this.
        state = await storage.of(heldRows).state()
      }
      looked = { at, state }
    },
  }
}

async function queue(tx: Writer, casts: readonly HeldCast[], now: number): Promise<void> {
  const queued = new Map<number, number>()
  for (const held of casts) {
    const { hash, fid, term } = held
    const before = queued.get(fid) ?? (await tx.of(heldRows).count(fid, 'queued'))
    queued.set(fid, before + 1)
    if (before >= MAX_QUEUED_PER_FID) continue
    await tx.of(heldRows).putCasts([{ ...held, state: 'queued' }])
    const own = { fid, cast_hash: hash, isOfServer: true }
    if ((await tx.of(reportRows).openOnCast(own, 1)).length > 0) continue
    await tx.of(moderationLogRows).add({
      ...{ at: now, actor: 'server', action: 'hold', fid, cast_hash: hash, name: null },
      reason: REASONS.server.held,
    })
    await tx.of(reportRows).add({
      ...{ reporter_fid: SERVER_FID, fid, cast_hash: hash, mini_app: null },
      ...{ reason: `Held for “${term}”`, created_at: now, kind: 'held', rule: null },
      ...UNANSWERED,
    })
  }
}

/** There is nothing left to decide about. Returns how many reports were answered: as many as `room`, and the next ones are another time. */
async function forget(
  tx: Writer,
  { hash, fid }: HeldCast,
  room: number,
  now: number,
): Promise<number> {
  const about = { fid, cast_hash: hash, isOfServer: false }
  const open = await tx.of(reportRows).openOnCast(about, room)
  await resolveAll(tx, open, DELETED, now)
  if (open.length < room) await tx.of(heldRows).removeCast(hash)
  return open.length
}
