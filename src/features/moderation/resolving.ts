import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { type Act, type Report, reportRows } from '../moderation-records/port.ts'
import { claimRows } from './tables/claims.ts'

// The answer to a report.

/** Open reports in all, at most 2 KiB each. */
export const MAX_OPEN_REPORTS = 10_000
/** Resolved reports that are kept; older ones are deleted. */
export const MAX_RESOLVED_REPORTS = 10_000
/** The reporter of held casts is the server: no account has this fid. */
export const SERVER_FID = 0

/** Who decided something, and why. */
export type Decision = { readonly actor: string; readonly reason: string }
/** With what was done, for the statistics. */
export type Answer = Decision & { readonly act?: Act }

export async function resolved(
  tx: Writer,
  id: number,
  { actor, reason, act }: Answer,
  now: number,
) {
  const report = await tx.of(reportRows).find(id)
  if (!report) throw unknownReport(id)
  const resolution = `${actor}: ${reason}`
  if (report.state === 'resolved') {
    if (report.resolution !== resolution) throw resolvedAlready(report)
    return { result: report, isChanged: false }
  }
  const result = {
    ...report,
    state: 'resolved',
    resolved_at: now,
    resolution,
    answer: reason,
    act: act ?? null,
  } as const
  await tx.of(reportRows).put(result)
  await tx.of(claimRows).remove(id)
  await tx.of(reportRows).trim(MAX_RESOLVED_REPORTS)
  return { result, isChanged: true }
}

/** Names who has resolved it, so that whoever decided otherwise can ask them. */
export function resolvedAlready({ id, resolution, answer }: Report): Rejection {
  const by = resolution!.slice(0, resolution!.length - `: ${answer}`.length)
  return new Rejection('changed_meanwhile', `report ${id} was resolved already, by ${by}`, {
    field: 'id',
  })
}

/** Answers what the server has reported about a cast that it held. */
export async function resolveHold(
  tx: Writer,
  { fid, cast_hash }: { readonly fid: number; readonly cast_hash: Uint8Array },
  decision: Answer,
  now: number,
): Promise<void> {
  const about = { fid, cast_hash, mini_app: null }
  for (const { id, reporter_fid } of await tx.of(reportRows).openOn(about, MAX_OPEN_REPORTS)) {
    if (reporter_fid === SERVER_FID) await resolved(tx, id, decision, now)
  }
}

export const unknownReport = (id: number) =>
  new Rejection('not_found', `report ${id} does not exist`, { field: 'id' })
