import type { Said, Say } from '../../../kernel/http/translator.ts'
import type { Reader } from '../../../kernel/storage/storage.ts'
import { moderationLogRows, reportRows } from '../../moderation-records/port.ts'
import { appealRows } from '../tables/appeals.ts'
import { isDecidedBy, RANKS, type StaffMember, staffRows } from '../tables/staff.ts'

/** More than a badge says. */
const MAX_APPEALS_COUNTED = 100

/** What waits for a member of the staff. */
export type Waiting = {
  readonly cases: number
  readonly appeals: number
  /** Whether there are more open appeals, about which nobody has asked who may decide. */
  readonly hasMoreAppeals: boolean
  /** When the newest came of those from before a time, in Unix seconds; 0 without any. */
  readonly newestAt: number
}
export const NOTHING_WAITS: Waiting = { cases: 0, appeals: 0, hasMoreAppeals: false, newestAt: 0 }

/** Cases and open appeals about which a member of the staff may decide: of appeals, those among the newest MAX_APPEALS_COUNTED. */
export async function waitingFor(
  { of }: Pick<Reader, 'of'>,
  member: StaffMember,
  before: number = Number.MAX_SAFE_INTEGER,
): Promise<Waiting> {
  const [staff, open] = await Promise.all([
    of(staffRows).list(),
    of(appealRows).newestOpen(MAX_APPEALS_COUNTED + 1),
  ])
  const counted = open.slice(0, MAX_APPEALS_COUNTED)
  const others = staff.filter(({ role }) => RANKS[role] >= RANKS[member.role])
  const beyond = new Set([member.fid, ...others.map(({ fid }) => fid)])
  const [cases, decisions] = await Promise.all([
    of(reportRows).casesNotAbout([...beyond], before),
    of(moderationLogRows).findAll(counted.map(({ decision }) => decision)),
  ])
  const own = new Set(
    decisions.flatMap(({ id, actor }) => (isDecidedBy(actor, member.fid) ? [id] : [])),
  )
  const appeals = counted.filter(({ fid, decision }) => !beyond.has(fid) && !own.has(decision))
  const times = appeals.map(({ created_at }) => created_at).filter((at) => at < before)
  return {
    cases: cases.count,
    appeals: appeals.length,
    hasMoreAppeals: open.length > counted.length,
    newestAt: Math.max(cases.newestAt, ...times),
  }
}

/** How many wait, as the title of a mail or a push says it. */
export function waitingText({ cases, appeals, hasMoreAppeals }: Waiting, say: Say): Said {
  // None of the newest is for this member, who may have decided all of them: older ones may be.
  if (hasMoreAppeals && appeals > 0) {
    return cases === 0
      ? say('Appeals that wait for you: {appeals} or more', { appeals })
      : say('Reports that wait for you: {reports}. Appeals: {appeals} or more.', {
          reports: cases,
          appeals,
        })
  }
  if (appeals === 0) {
    return say('{count, plural, one {A report waits for you} other {# reports wait for you}}', {
      count: cases,
    })
  }
  return cases === 0
    ? say('{count, plural, one {An appeal waits for you} other {# appeals wait for you}}', {
        count: appeals,
      })
    : say('Reports that wait for you: {reports}. Appeals: {appeals}.', { reports: cases, appeals })
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
