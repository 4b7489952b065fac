import { toHex } from '../../protocol/bytes.ts'
import { unitExpiry } from '../../protocol/storage-units.ts'
import type { StoredTransfer } from '../../storage/name-transfers.ts'
import type { AppContext } from '../context.ts'
import { unixTimeOf } from '../hydrate.ts'
import type { NameChange } from './schemas.ts'

/** Changes of a name or of an account that a screen shows. A name changes once in 28 days. */
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
  const transfers = await storage.nameTransfers.newest(filter, MAX_CHANGES)
  return transfers.map(nameChange)
}

/** The accounts that changes name, each once. */
export const fidsOfChanges = (changes: readonly NameChange[]): number[] => [
  ...new Set(
    changes.flatMap(({ from_fid, to_fid }) => [from_fid, to_fid]).filter((fid) => fid > 0),
  ),
]

/** When the last storage unit of an account expires; null without one. */
export async function storageExpiry(
  { storage, nowMs, settings }: AppContext,
  fid: number,
): Promise<string | null> {
  const rents = await storage.accounts.rents([fid])
  const ends = rents.map(({ rented_at }) => unitExpiry(rented_at, settings.network))
  const last = Math.max(0, ...ends)
  return last * 1_000 > nowMs() ? unixTimeOf(last) : null
}
