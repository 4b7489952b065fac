import { refusalOf } from '../../kernel/limits/exceeded.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { MAX_INVITE_CALLS } from './limits.ts'

const WINDOW_MS = 3_600_000
const NAME = 'channel invites'

/**
 * Counts one call about the invites of a channel, of a caller at Unix ms `now`, in a transaction that locks the
 * channel. Throws a Rejection when there have been too many in an hour.
 */
export async function consumeInviteCall(
  { quotas }: Pick<Writer, 'quotas'>,
  { fid, channelId }: { readonly fid: number; readonly channelId: string },
  now: number,
): Promise<void> {
  const subject = `${fid}/${channelId}`
  const quota = new Quota(NAME, await quotas.used(NAME, [subject]))
  const exceeded = quota.tryConsume(subject, { windowMs: WINDOW_MS, max: MAX_INVITE_CALLS }, now)
  if (exceeded) {
    throw refusalOf(exceeded, `Too many requests: ${MAX_INVITE_CALLS} an hour for one channel`)
  }
  await quotas.put(quota.changed)
}
