import { type Clock, unixSeconds } from '../base/clock.ts'
import { purchasedUnits, type StorageTerms } from '../protocol/storage-units.ts'
import {
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../storage/storage.ts'
import type { Custody } from '../storage/tables/accounts.ts'
import { decodeOnChainEvent } from './events.ts'
import { type Account, type Accounts, KEY_STATES, type KeyData } from './port.ts'

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
    async keyData(fid, key) {
      const signer = await accounts.signer(fid, key)
      const event = signer && (await accounts.event({ ...signer, type: SIGNER_EVENT }))
      return event ? keyDataOf(decodeOnChainEvent(event.body)) : NO_KEY
    },
    async storageUnits(fid) {
      return purchasedUnits(await accounts.rents([fid]), unixSeconds(clock), terms)
    },
  }
}

const SIGNER_EVENT = OnChainEventType.EVENT_TYPE_SIGNER
const NO_KEY: KeyData = { state: KEY_STATES.none, keyType: 0 }

/** What the newest event about a key says; a reset makes it as if it had never been added. */
function keyDataOf({ body }: OnChainEvent): KeyData {
  if (body.case !== 'signerEventBody') throw new Error('the event of a key is another one')
  const { eventType, keyType } = body.value
  if (eventType === SignerEventType.ADD) return { state: KEY_STATES.added, keyType }
  return eventType === SignerEventType.REMOVE ? { state: KEY_STATES.removed, keyType } : NO_KEY
}

const accountOf = (custody: Custody | undefined): Account | undefined =>
  custody && { fid: custody.fid, address: custody.address, recovery: custody.recovery }
