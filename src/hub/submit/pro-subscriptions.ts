import { fromBinary } from '@bufbuild/protobuf'
import { isPro, type TierPurchase } from '../../protocol/tiers.ts'
import { OnChainEventSchema, OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../../storage/storage.ts'
import type { StoredChainEvent } from '../../storage/tables/accounts.ts'

/** Whether a fid has an active pro subscription now. */
export type ProSubscriptions = { isActive(fid: number): Promise<boolean> }

type Question = {
  readonly fid: number
  resolve(active: boolean): void
  reject(error: unknown): void
}

/**
 * Reads subscriptions from the stored tier purchases. All fids that are asked for in one turn of the event
 * loop are read with one statement, so a batch of submits of any size costs one.
 */
export function proSubscriptions(
  { accounts }: Pick<Reader, 'accounts'>,
  nowMs: () => number,
): ProSubscriptions {
  let questions: Question[] = []

  async function answerAll(): Promise<void> {
    const asked = questions
    questions = []
    try {
      const fids = [...new Set(asked.map(({ fid }) => fid))]
      const type = OnChainEventType.EVENT_TYPE_TIER_PURCHASE
      const rows = await accounts.eventsOf(fids.map((fid) => ({ fid, type })))
      const byFid = Map.groupBy(rows, ({ fid }) => fid)
      const now = Math.floor(nowMs() / 1000)
      const active = new Set(fids.filter((fid) => isPro(purchasesOf(byFid.get(fid) ?? []), now)))
      for (const { fid, resolve } of asked) resolve(active.has(fid))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  return {
    isActive: (fid) =>
      new Promise((resolve, reject) => {
        if (questions.length === 0) setImmediate(() => void answerAll())
        questions.push({ fid, resolve, reject })
      }),
  }
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
