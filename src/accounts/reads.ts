import { type Clock, unixSeconds } from '../base/clock.ts'
import { activeUnits, type StorageTerms } from '../protocol/storage-units.ts'
import type { Reader } from '../storage/storage.ts'
import type { Custody } from '../storage/tables/accounts.ts'
import { decodeOnChainEvent } from './events.ts'
import type { Account, Accounts } from './port.ts'

/** The answers of the tables that on-chain events end up in, wherever the events come from. */
export function storedAccounts(reader: Reader, clock: Clock, terms: StorageTerms): Accounts {
  const { accounts } = reader
  return {
    async custodyOf(fid) {
      return accountOf(await accounts.custody(fid))
    },
    async fidOf(address) {
      return (await accounts.byAddress(address))?.fid
    },
    async isActiveKey(fid, key) {
      const [signer] = await accounts.signerStatuses([{ fid, key }])
      return signer?.registered === true && signer.active
    },
    async activeKeys(fid, page) {
      const { items, next } = await accounts.listActiveSigners(fid, page)
      return { items: items.map(({ body }) => decodeOnChainEvent(body)), next }
    },
    async storageUnits(fid) {
      const rents = await accounts.rents([fid])
      return activeUnits(rents, unixSeconds(clock), terms)
    },
  }
}

const accountOf = (custody: Custody | undefined): Account | undefined =>
  custody && { fid: custody.fid, address: custody.address, recovery: custody.recovery }
