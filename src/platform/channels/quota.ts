import { Rejection } from '../../protocol/rejection.ts'
import type { Writer } from '../../storage/storage.ts'
import { QuotaWindows } from '../../storage/tables/quotas.ts'
import { MAX_INVITE_CALLS } from './limits.ts'

const WINDOW_MS = 3_600_000
const NAME = 'channel invites'

/**
 * Counts one call about the invites of a channel, of a caller at Unix ms `now`, in a transaction that locks the
 * channel. Throws a Rejection when there have been too many in an hour.
 */
export async function takeInviteCall(
  { quotas }: Pick<Writer, 'quotas'>,
  { fid, channelId }: { readonly fid: number; readonly channelId: string },
  now: number,
): Promise<void> {
  const subject = `${fid}/${channelId}`
  const windows = new QuotaWindows(NAME, await quotas.used(NAME, [subject]))
  const exceeded = windows.take(subject, { windowMs: WINDOW_MS, max: MAX_INVITE_CALLS }, now)
  if (exceeded) {
    const text = `Too many requests: ${MAX_INVITE_CALLS} an hour for one channel`
    throw new Rejection('rate_limited', text, {
      retryAfterSeconds: Math.max(1, Math.ceil(exceeded.retryAfterMs / 1000)),
    })
  }
  await quotas.put(windows.changed)
}
