import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../../kernel/app-api/context.ts'
import { unixTimeOf } from '../../../kernel/app-api/objects/hydrate.ts'
import { described, fidParam } from '../../../kernel/http/input/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { MESSAGE_SETS } from '../../../kernel/protocol/slots.ts'
import {
  activeUnits,
  firstLoss,
  limitOf,
  STORAGE_NOTICE_SECONDS,
  unitCount,
} from '../../../kernel/protocol/storage-units.ts'
import { type Filling, SCREENS, type StorageNotice, StorageNoticeReply } from './schemas.ts'

/** A notice about storage that ends. */
export const storageScreen = route('GET /v2/farcaster/screen/storage', {
  callers: 'app',
  summary: 'What an account is to be told of its storage and of its move',
  description:
    'Within 30 days, or in the days after the end in which its messages are kept: 30, and after a lender has ended a loan at most as many as it lasted.',
  tags: SCREENS,
  query: { fid: described(fidParam, 'The account.') },
  reply: StorageNoticeReply,
  cost: { cpu: 'small', rows: 20 },
  errors: [],
  from: VIEWS,
  handler: async (context, { query: { fid } }) => {
    const [stored, movesAt] = await Promise.all([
      readStored(context, fid),
      context.ports.movesAt(context.storage, fid),
    ])
    return {
      grows: context.storageGrows,
      filling: context.storageGrows ? [] : fillingOf(context, stored),
      notice: noticeFor(context, stored),
      moves_at: movesAt === undefined ? null : unixTimeOf(movesAt),
    }
  },
})

type Stored = Awaited<ReturnType<typeof readStored>>

async function readStored({ storage }: AppContext, fid: number) {
  const [holdings, usages] = await Promise.all([
    storage.storageLends.holdings([fid]),
    storage.messages.usage([fid]),
  ])
  return { holding: holdings.of(fid), usages }
}

/** People are told from this share on. */
const FILLING_SHARE = 0.8
const KINDS = {
  casts: MESSAGE_SETS.casts,
  reactions: MESSAGE_SETS.reactions,
  links: MESSAGE_SETS.links,
} satisfies Record<Filling['kind'], number>

function fillingOf({ storageTerms, nowMs }: AppContext, { holding, usages }: Stored): Filling[] {
  const units = activeUnits(holding, Math.floor(nowMs() / 1_000), storageTerms)
  return Object.entries(KINDS).flatMap(([kind, store]) => {
    const used = usages.find((one) => one.store === store)?.count ?? 0
    const capacity = limitOf(units, store)
    const isFilling = capacity > 0 && used >= FILLING_SHARE * capacity
    return isFilling ? [{ kind: kind as Filling['kind'], used, capacity }] : []
  })
}

function noticeFor(
  { storageTerms, nowMs }: AppContext,
  { holding, usages }: Stored,
): StorageNotice | null {
  const now = Math.floor(nowMs() / 1_000)
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
