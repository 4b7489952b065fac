import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import { answerRows, type Report, reportRows } from '../moderation-records/port.ts'
import { resolvedAlready, settledAlready, unknownReport } from './resolving.ts'
import { type CaseClaim, claimRows } from './tables/claims.ts'

/** How long a case is somebody's: long enough to read a thread, short enough that nothing waits for who went away. */
export const CLAIM_SECONDS = 15 * 60

/** Who takes a case. */
export type Claimant = Pick<CaseClaim, 'fid' | 'actor'>

/**
 * Takes the case of a report for a while, or for another while. One that somebody else has is taken over with a word to them;
 * without it, it is a conflict.
 */
export function takeCase(
  storage: Storage,
  id: number,
  { by, word, now }: { by: Claimant; word: string | undefined; now: number },
): Promise<CaseClaim> {
  return storage.write('all/reports', async (tx) => {
    const first = await firstOpenIn(tx, id)
    const claims = tx.of(claimRows)
    await claims.removeEnded(now)
    const present = (await claims.ofReports([first.id], now)).get(first.id)
    const isOwn = present?.actor === by.actor
    if (present && !isOwn && word === undefined) throw takenAlready(id, present)
    const claim = {
      ...by,
      report_id: first.id,
      word: isOwn ? present.word : (word ?? null),
      taken_at: isOwn ? present.taken_at : now,
      ends_at: now + CLAIM_SECONDS,
    }
    await claims.put(claim)
    return claim
  })
}

/** Gives a case back. One that somebody else has stays theirs. */
export function giveBackCase(storage: Storage, id: number, actor: string, now: number) {
  return storage.write('all/reports', async (tx) => {
    const first = await firstOpenIn(tx, id)
    const claims = tx.of(claimRows)
    const present = (await claims.ofReports([first.id], now)).get(first.id)
    if (present?.actor === actor) await claims.remove([first.id])
  })
}

async function firstOpenIn(tx: Writer, id: number): Promise<Report> {
  const report = await tx.of(reportRows).find(id)
  if (!report) throw unknownReport(id)
  if (report.state === 'resolved') throw resolvedAlready(report)
  const settling = await tx.of(answerRows).settling(report)
  if (settling) throw settledAlready(report, settling)
  const [first] = await tx.of(reportRows).waitingOn(report, 1)
  return first!
}

const takenAlready = (id: number, { actor }: CaseClaim) =>
  new Rejection(
    'changed_meanwhile',
    `the case of report ${id} is taken by ${actor}; send \`word\` to take it over`,
    { field: 'word' },
  )
