import { fromHex } from '../protocol/codec/bytes.ts'
import {
  currentRents,
  NO_END,
  purchasedUnits,
  type Rent,
  renewalUnits,
  rentEnd,
  type StorageTerms,
} from '../protocol/storage-units.ts'
import { DAY_SECONDS } from '../protocol/time.ts'
import type { AccountState } from './account-state.ts'
import { type AccountEvent, storageRented } from './events.ts'
import { type LedgerSettings, STORAGE_REGISTRY } from './settings.ts'

// Units that the ledger gives. The merge thread uses these rules, so they load nothing that signatures need.

export type RentTerms = {
  readonly settings: LedgerSettings
  /** Unix seconds. */
  readonly now: number
}

/** Gives each fid units without an end for those that end before `until`, where storage does not end. */
export function decideRenewals(
  state: AccountState,
  until: number,
  terms: RentTerms,
): AccountEvent[] {
  const ending = (fid: number) =>
    currentRents(state.rentsOf(fid)).some((rent) => declaredEndOf(rent, terms.settings) < until)
  return state.rentFids.filter(ending).flatMap((fid) => renewalOf(state, fid, terms))
}

/** Gives fids further units, and those that end are renewed before: see `decideRent`. */
export const decideGrowth = (
  state: AccountState,
  wanted: ReadonlyMap<number, number>,
  terms: RentTerms,
): AccountEvent[] =>
  [...wanted].flatMap(([fid, units]) => [
    ...renewalOf(state, fid, terms),
    rented(fid, { payer: fromHex(STORAGE_REGISTRY)!, units }, terms),
  ])

/** Units without an end that hold as much as all units of a fid with an end; nothing where storage ends. */
export function renewalOf(state: AccountState, fid: number, terms: RentTerms): AccountEvent[] {
  const storage = termsOfStorage(terms.settings)
  if (storage.storageEnds) return []
  const ending = currentRents(state.rentsOf(fid)).filter(({ ends_at }) => ends_at !== NO_END)
  const units = renewalUnits(purchasedUnits(ending, terms.now, storage))
  if (units === 0) return []
  return [rented(fid, { payer: fromHex(STORAGE_REGISTRY)!, units }, terms)]
}

export const termsOfStorage = ({ network, storageDays }: LedgerSettings): StorageTerms => ({
  network,
  storageEnds: storageDays !== undefined,
})

/** The end by the event alone, which others than this ledger go by. */
const declaredEndOf = (rent: Rent, { network }: LedgerSettings) =>
  rentEnd(rent, { network, storageEnds: true })

/** Units that end as the settings say. */
export function rented(
  fid: number,
  { payer, units }: { readonly payer: Uint8Array; readonly units: number },
  { settings: { storageDays }, now }: RentTerms,
): AccountEvent {
  const endsAt =
    storageDays === undefined ? NO_END : Math.min(now + storageDays * DAY_SECONDS, NO_END - 1)
  return storageRented(fid, { payer, units, rentedAt: now, endsAt })
}
