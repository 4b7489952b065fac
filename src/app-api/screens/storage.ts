import { described, fidParam } from '../../http/input/params.ts'
import {
  activeUnits,
  firstLoss,
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
    summary: 'Whether storage of an account ends, or it is moved to another key',
    description:
      'Within 30 days, or in the days after the end in which its messages are kept: 30, and after a lender has ended a loan at most as many as it lasted.',
    tags: SCREENS,
    query: { fid: described(fidParam, 'The account.') },
    reply: StorageNoticeReply,
    cost: { cpu: 'small', rows: 20 },
  },
  async (context, _, { fid }) => {
    const [notice, recoveries] = await Promise.all([
      noticeFor(context, fid),
      context.storage.recoveries.ofFid(fid),
    ])
    const moves = recoveries.flatMap(({ due_at }) => due_at ?? [])
    return { notice, moves_at: moves.length === 0 ? null : unixTimeOf(Math.min(...moves)) }
  },
)

async function noticeFor(
  { storage, storageTerms, nowMs }: AppContext,
  fid: number,
): Promise<StorageNotice | null> {
  const [holdings, usages] = await Promise.all([
    storage.storageLends.holdings([fid]),
    storage.messages.usage([fid]),
  ])
  const now = Math.floor(nowMs() / 1_000)
  const holding = holdings.of(fid)
  const loss = firstLoss(holding, usages, now, storageTerms)
  if (!loss || loss.end > now + STORAGE_NOTICE_SECONDS) return null
  const { end, prunedFrom } = loss
  return {
    ends_at: unixTimeOf(end),
    pruned_from: unixTimeOf(prunedFrom),
    has_ended: end <= now,
    units_left: unitCount(activeUnits(holding, end, storageTerms)),
  }
}
