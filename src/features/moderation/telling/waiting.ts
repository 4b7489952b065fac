import type { Reader } from '../../../kernel/storage/storage.ts'
import { moderationLogRows, reportRows } from '../../moderation-records/port.ts'
import { appealRows } from '../tables/appeals.ts'
import { isDecidedBy, RANKS, type StaffMember, staffRows } from '../tables/staff.ts'

/** More than a badge says. */
const MAX_APPEALS_COUNTED = 100

/**
 * Cases and open appeals about which a member of the staff may decide, and when the newest came of those from before a time, in Unix
 * seconds.
 */
export async function waitingFor(
  { of }: Pick<Reader, 'of'>,
  member: StaffMember,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<{ readonly count: number; readonly newestAt: number }> {
  const [staff, open] = await Promise.all([
    of(staffRows).list(),
    of(appealRows).newestOpen(MAX_APPEALS_COUNTED),
  ])
  const others = staff.filter(({ role }) => RANKS[role] >= RANKS[member.role])
  const beyond = new Set([member.fid, ...others.map(({ fid }) => fid)])
  const [cases, decisions] = await Promise.all([
    of(reportRows).casesNotAbout([...beyond], before),
    of(moderationLogRows).findAll(open.map(({ decision }) => decision)),
  ])
  const own = new Set(
    decisions.flatMap(({ id, actor }) => (isDecidedBy(actor, member.fid) ? [id] : [])),
  )
  const appeals = open.filter(({ fid, decision }) => !beyond.has(fid) && !own.has(decision))
  const times = appeals.map(({ created_at }) => created_at).filter((at) => at < before)
  return {
    count: cases.count + appeals.length,
    newestAt: Math.max(cases.newestAt, ...times),
  }
}

/** Those of the staff who may decide now: a suspended account may not. */
export async function ableStaff({
  of,
  moderation,
}: Pick<Reader, 'of' | 'moderation'>): Promise<StaffMember[]> {
  const staff = await of(staffRows).list()
  const hidden = await moderation.hiddenAmong(staff.map(({ fid }) => fid))
  return staff.filter(({ fid }) => !hidden.has(fid))
}

/** When the newest of all cases and open appeals came that came before a time, in Unix seconds; 0 without any. */
export async function newestWaiting({ of }: Pick<Reader, 'of'>, before: number): Promise<number> {
  const [cases, appealAt] = await Promise.all([
    of(reportRows).casesNotAbout([], before),
    of(appealRows).newestOpenAt(before),
  ])
  return Math.max(cases.newestAt, appealAt)
}
