import { described, fidParam } from '../../http/input/params.ts'
import {
  activeUnits,
  firstLoss,
  STORAGE_GRACE_SECONDS,
  STORAGE_NOTICE_SECONDS,
  unitCount,
} from '../../protocol/storage-units.ts'
import { viewRead } from '../app-route.ts'
import type { AppContext } from '../context.ts'
import { unixTimeOf } from '../objects/hydrate.ts'
import { SCREENS, type StorageNotice, StorageNoticeReply } from './schemas.ts'

/** A notice about storage that ends. */
export const storageScreen = viewRead(
  {
    path: '/screen/storage',
    summary: 'Whether an account loses messages because its storage ends',
    description: 'Within 30 days, or in the 30 days after the end in which its messages are kept.',
    tags: SCREENS,
    query: { fid: described(fidParam, 'The account.') },
    reply: StorageNoticeReply,
    cost: { cpu: 'small', rows: 20 },
  },
  async (context, _, { fid }) => ({ notice: await noticeFor(context, fid) }),
)

async function noticeFor(
  { storage, storageTerms, nowMs }: AppContext,
  fid: number,
): Promise<StorageNotice | null> {
  const [rents, usages] = await Promise.all([
    storage.accounts.rents([fid]),
    storage.messages.usage([fid]),
  ])
  const now = Math.floor(nowMs() / 1_000)
  const end = firstLoss(rents, usages, now, storageTerms)
  if (end === undefined || end > now + STORAGE_NOTICE_SECONDS) return null
  return {
    ends_at: unixTimeOf(end),
    pruned_from: unixTimeOf(end + STORAGE_GRACE_SECONDS),
    has_ended: end <= now,
    units_left: unitCount(activeUnits(rents, end, storageTerms)),
  }
}
