import {
  type ModerationAction,
  type ModerationEntry,
  moderationLogRows,
  type Report,
} from '../moderation-records/port.ts'
import { castContentOf } from './cast-text.ts'
import type { OperatorContext } from './decisions.ts'
import { limitRows } from './tables/limits.ts'
import { noteRows } from './tables/notes.ts'
import type { StaffMember } from './tables/staff.ts'

// What one has to know of an account and a cast to decide about them: for reports and for appeals.

/** Earlier decisions about an account that are shown, and as many answers to reports that left it as it was. */
const MAX_EARLIER_SHOWN = 5
/** Where something was done, its answer to reports stands in the log as well. */
export const MAX_EARLIER_READ = 3 * MAX_EARLIER_SHOWN
const EARLIER: readonly ModerationAction[] = [
  'warn',
  'unwarn',
  'suspend',
  'restore',
  'limit',
  'unlimit',
  'hide',
  'unhide',
  'release',
  'remove-file',
  'remove-poll',
]

/** With notes, if the reader may read those about the account. */
export async function subjectOf(
  { storage, staff }: Pick<OperatorContext, 'storage' | 'staff'>,
  { fid, cast_hash }: Pick<Report, 'fid' | 'cast_hash'>,
  member: StaffMember | undefined,
) {
  const mayDecide = member === undefined || (await staff.mayDecideOn(member, fid))
  const newest = (actions: readonly ModerationAction[], limit: number) =>
    storage.of(moderationLogRows).list({ fid, actions }, Number.MAX_SAFE_INTEGER, limit)
  const [account, isLimited, done, withAnswers, content, hidden, notes] = await Promise.all([
    storage.moderation.account(fid),
    storage.of(limitRows).isLimited(fid),
    newest(EARLIER, MAX_EARLIER_SHOWN),
    // Nobody learns of reports about themselves.
    member?.fid === fid ? [] : newest([...EARLIER, 'resolve'], 2 * MAX_EARLIER_SHOWN),
    castContentOf(storage, cast_hash),
    cast_hash ? storage.moderation.hiddenCast(cast_hash) : undefined,
    mayDecide ? storage.of(noteRows).of(fid) : [],
  ])
  return {
    ...{ earlier: earlierOf(done, withAnswers), content, notes, isLimited, mayDecide },
    isSuspended: account?.suspended === 1,
    isHidden: hidden !== undefined,
  }
}

/** What was done, and answers to reports that go with nothing of it: they left things as they were. */
function earlierOf(
  done: readonly ModerationEntry[],
  withAnswers: readonly ModerationEntry[],
): ModerationEntry[] {
  const left = withAnswers
    .filter(({ action, goes_with }) => action === 'resolve' && goes_with === null)
    .slice(0, MAX_EARLIER_SHOWN)
  return [...done, ...left].sort((a, b) => b.id - a.id)
}

export type Subject = Awaited<ReturnType<typeof subjectOf>>
