import type { Reader } from '../../../kernel/storage/storage.ts'
import { moderationLogRows, reportRows } from '../../moderation-records/port.ts'
import { appealRows } from '../tables/appeals.ts'
import { isDecidedBy, RANKS, type StaffMember, staffRows } from '../tables/staff.ts'

/** More than a badge says. */
const MAX_APPEALS_COUNTED = 100

/** Cases and open appeals about which a member of the staff may decide, and when the newest came, in Unix seconds. */
export async function waitingFor(
  { of }: Pick<Reader, 'of'>,
  member: StaffMember,
): Promise<{ readonly count: number; readonly newestAt: number }> {
  const [staff, open] = await Promise.all([
    of(staffRows).list(),
    of(appealRows).list('open', 0, MAX_APPEALS_COUNTED),
  ])
  const others = staff.filter(({ role }) => RANKS[role] >= RANKS[member.role])
  const beyond = new Set([member.fid, ...others.map(({ fid }) => fid)])
  const [cases, decisions] = await Promise.all([
    of(reportRows).casesNotAbout([...beyond]),
    of(moderationLogRows).findAll(open.map(({ decision }) => decision)),
  ])
  const own = new Set(
    decisions.flatMap(({ id, actor }) => (isDecidedBy(actor, member.fid) ? [id] : [])),
  )
  const appeals = open.filter(({ fid, decision }) => !beyond.has(fid) && !own.has(decision))
  const times = appeals.map(({ created_at }) => created_at)
  return {
    count: cases.count + appeals.length,
    newestAt: Math.max(cases.newestAt, ...times),
  }
}

/** When the newest of all cases and open appeals came, in Unix seconds; 0 without any. */
export async function newestWaiting({ of }: Pick<Reader, 'of'>): Promise<number> {
  const [cases, open] = await Promise.all([
    of(reportRows).casesNotAbout([]),
    of(appealRows).list('open', 0, MAX_APPEALS_COUNTED),
  ])
  return Math.max(cases.newestAt, ...open.map(({ created_at }) => created_at))
}
