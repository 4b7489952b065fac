import {
  type ModerationAction,
  moderationLogRows,
  type Report,
} from '../moderation-records/port.ts'
import { castContentOf } from './cast-text.ts'
import type { OperatorContext } from './decisions.ts'
import { limitRows } from './tables/limits.ts'
import { noteRows } from './tables/notes.ts'
import type { StaffMember } from './tables/staff.ts'

// What one has to know of an account and a cast to decide about them: for reports and for appeals.

/** Earlier decisions about an account that are shown. */
export const MAX_EARLIER_SHOWN = 5
const EARLIER: readonly ModerationAction[] = [
  'warn',
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
  const [account, isLimited, earlier, content, hidden, notes] = await Promise.all([
    storage.moderation.account(fid),
    storage.of(limitRows).isLimited(fid),
    storage
      .of(moderationLogRows)
      .list({ fid, actions: EARLIER }, Number.MAX_SAFE_INTEGER, MAX_EARLIER_SHOWN),
    castContentOf(storage, cast_hash),
    cast_hash ? storage.moderation.hiddenCast(cast_hash) : undefined,
    mayDecide ? storage.of(noteRows).of(fid) : [],
  ])
  return {
    ...{ earlier, content, notes, isLimited, mayDecide },
    isSuspended: account?.suspended === 1,
    isHidden: hidden !== undefined,
  }
}
export type Subject = Awaited<ReturnType<typeof subjectOf>>
