import { fromBinary } from '@bufbuild/protobuf'
import { BatchLoader } from '../../base/concurrency.ts'
import { isPro, type TierPurchase } from '../../protocol/tiers.ts'
import { OnChainEventSchema, OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../../storage/storage.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'

/** Fids whose purchases one statement reads. */
const MAX_FIDS = 512

/** Whether a fid has an active pro subscription now. */
export type ProSubscriptions = { isActive(fid: number): Promise<boolean> }

/** Reads subscriptions from the stored tier purchases: those of a batch of submits with one statement. */
export function proSubscriptions(
  { accounts }: Pick<Reader, 'accounts'>,
  nowMs: () => number,
): ProSubscriptions {
  const type = OnChainEventType.EVENT_TYPE_TIER_PURCHASE
  const loader = new BatchLoader(MAX_FIDS, async (fids: readonly number[]) => {
    const rows = await accounts.eventsOf(fids.map((fid) => ({ fid, type })))
    const byFid = Map.groupBy(rows, ({ fid }) => fid)
    const now = Math.floor(nowMs() / 1000)
    return fids.map((fid) => isPro(purchasesOf(byFid.get(fid) ?? []), now))
  })
  return { isActive: (fid) => loader.load(fid) }
}

function purchasesOf(rows: readonly StoredChainEvent[]): TierPurchase[] {
  const inOrder = [...rows].sort(
    (a, b) => a.block_number - b.block_number || a.log_index - b.log_index,
  )
  return inOrder.flatMap(({ body }) => {
    const event = fromBinary(OnChainEventSchema, body)
    if (event.body.case !== 'tierPurchaseEventBody') return []
    const { tierType, forDays } = event.body.value
    return [{ tierType, forDays: Number(forDays), purchasedAt: Number(event.blockTimestamp) }]
  })
}
