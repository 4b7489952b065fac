import type { AppContext } from '../../../kernel/app-api/context.ts'
import { unixTimeOf } from '../../../kernel/app-api/objects/hydrate.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { storageEnds } from '../../../kernel/protocol/storage-units.ts'
import type { StoredTransfer } from '../../registry/port.ts'
import { nameTransferRows } from '../../registry/port.ts'
import type { NameChange, StoragePeriod } from './schemas.ts'

/** Changes that a screen shows. A name changes at most once in 28 days. */
const MAX_CHANGES = 100

export const nameChange = (transfer: StoredTransfer): NameChange => ({
  id: transfer.id,
  name: transfer.username,
  timestamp: unixTimeOf(transfer.timestamp),
  from_fid: transfer.from_fid,
  to_fid: transfer.to_fid,
  acting_fid: transfer.acting_fid,
  owner: toHex(transfer.owner),
})

/** The changes of one name, or the changes by which one account gave or received names. Newest first. */
export async function changesOf(
  { storage }: AppContext,
  filter: { username: string } | { fid: number },
): Promise<NameChange[]> {
  const transfers = await storage.of(nameTransferRows).newest(filter, MAX_CHANGES)
  return transfers.map(nameChange)
}

/** The accounts of changes, each once. */
export const fidsOfChanges = (changes: readonly NameChange[]): number[] => [
  ...new Set(
    changes.flatMap(({ from_fid, to_fid }) => [from_fid, to_fid]).filter((fid) => fid > 0),
  ),
]

/** When the last storage unit of an account ends, and when its messages are pruned after that. */
export async function storagePeriod(
  { storage, nowMs, storageTerms }: AppContext,
  fid: number,
): Promise<StoragePeriod> {
  const holdings = await storage.storageLends.holdings([fid])
  const ends = storageEnds(holdings.of(fid), storageTerms)
  const end = Math.max(0, ...ends.map((one) => one.end))
  if (end === Number.POSITIVE_INFINITY) return { state: 'endless' }
  const prunedFrom = Math.max(0, ...ends.map((one) => one.prunedFrom))
  if (prunedFrom * 1_000 <= nowMs()) return { state: 'none' }
  const state = end * 1_000 > nowMs() ? 'active' : 'ended'
  return { state, ends_at: unixTimeOf(end), pruned_from: unixTimeOf(prunedFrom) }
}

/** The end of active storage; null without one. */
export const expiryOf = ({ state, ends_at }: StoragePeriod): string | null =>
  state === 'active' ? (ends_at ?? null) : null
