import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import {
  type Act,
  answerRows,
  type Report,
  type ReportAnswer,
  reportRows,
} from '../moderation-records/port.ts'
import { claimRows } from './tables/claims.ts'

// The answer to a report.

/** Open reports in all, at most 2 KiB each. */
export const MAX_OPEN_REPORTS = 10_000
/** Resolved reports that are kept; older ones are deleted. */
export const MAX_RESOLVED_REPORTS = 10_000
/** Reports of the server about one cast: it adds none while one is open. */
const MAX_HOLD_REPORTS = 100
/** The reporter of held casts is the server: no account has this fid. */
export const SERVER_FID = 0

/** Who decided something, and why. */
export type Decision = { readonly actor: string; readonly reason: string }
/** With what was done, and the entry of the log that says so. */
export type Answer = Decision & { readonly act?: Act; readonly decision?: number | null }

/** The report, and whether it waits for this answer: it may have been given already. Throws a Rejection when another one was. */
export async function openReport(tx: Writer, id: number, answer: Answer) {
  const report = await tx.of(reportRows).find(id)
  if (!report) throw unknownReport(id)
  if (report.state === 'resolved') {
    if (report.resolution !== resolutionOf(answer)) throw resolvedAlready(report)
    return { report, isOpen: false }
  }
  const settling = await tx.of(answerRows).settling(report)
  if (settling && resolutionOf(settling) !== resolutionOf(answer)) {
    throw settledAlready(report, settling)
  }
  return { report, isOpen: !settling }
}

export async function resolved(tx: Writer, id: number, answer: Answer, now: number) {
  const { report, isOpen } = await openReport(tx, id, answer)
  if (!isOpen) return { result: report, isChanged: false }
  const [result] = await resolveAll(tx, [report], answer, now)
  return { result: result!, isChanged: true }
}

/** Answers open reports alike, with as many statements as for one. */
export async function resolveAll(
  tx: Writer,
  reports: readonly Report[],
  answer: Answer,
  now: number,
): Promise<Report[]> {
  if (reports.length === 0) return []
  const results = reports.map(
    (report): Report => ({
      ...report,
      state: 'resolved',
      resolved_at: now,
      resolution: resolutionOf(answer),
      answer: answer.reason,
      act: answer.act ?? null,
      decision: answer.decision ?? null,
    }),
  )
  await tx.of(reportRows).put(results)
  await tx.of(claimRows).remove(results.map(({ id }) => id))
  await tx.of(reportRows).trim(MAX_RESOLVED_REPORTS)
  return results
}

export const resolutionOf = ({ actor, reason }: Decision): string => `${actor}: ${reason}`

/** Names who has resolved it, so that whoever decided otherwise can ask them. */
export function resolvedAlready({ id, resolution, answer, act }: Report): Rejection {
  const by = resolution!.slice(0, resolution!.length - `: ${answer}`.length)
  const text = `report ${id} was resolved already, by ${by}${act ? `: ${act}` : ''}`
  return new Rejection('changed_meanwhile', text, { field: 'id' })
}

/** Its answer is on its way: it is as much decided as one that has come. */
export const settledAlready = ({ id }: Report, { actor }: ReportAnswer) =>
  new Rejection('changed_meanwhile', `report ${id} is being answered already, by ${actor}`, {
    field: 'id',
  })

/** Answers what the server has reported about a cast that it held. */
export async function resolveHold(
  tx: Writer,
  { fid, cast_hash }: { readonly fid: number; readonly cast_hash: Uint8Array },
  decision: Answer,
  now: number,
): Promise<void> {
  const own = { fid, cast_hash, isOfServer: true }
  await resolveAll(tx, await tx.of(reportRows).openOnCast(own, MAX_HOLD_REPORTS), decision, now)
}

export const unknownReport = (id: number) =>
  new Rejection('not_found', `report ${id} does not exist`, { field: 'id' })
