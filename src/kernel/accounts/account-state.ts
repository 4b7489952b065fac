import { toHex } from '../protocol/codec/bytes.ts'
import { declaredEnd } from '../protocol/storage-units.ts'
import { IdRegisterEventType, SignerEventType } from '../protocol/wire/onchain_event_pb.js'
import type { Rent } from '../storage/tables/accounts.ts'
import type { Nonce, NonceOf } from '../storage/tables/ledger.ts'
import type { AccountEvent } from './events.ts'
import type { Account, NonceContract } from './port.ts'

/** The life of a key of a fid: it can be added once, and a removed key can never be added again. */
export type KeyState = 'none' | 'added' | 'removed'

/**
 * The state that one call is decided by: confirmed state plus the accepted calls that are not confirmed yet. It
 * is the call's own copy: the decision counts nonces and applies events to it, and it is discarded when the
 * call is refused.
 */
export class AccountState {
  readonly #accounts = new Map<number, Account>()
  readonly #fids = new Map<string, number>()
  readonly #keys = new Map<string, KeyState>()
  readonly #keyCounts = new Map<number, number>()
  readonly #nonces = new Map<string, Nonce>()
  readonly #used = new Set<string>()
  /** Rents of `rentFids`. */
  readonly rents: Rent[] = []
  readonly rentFids: readonly number[]
  newestFid = 0
  block = 0
  pendingEvents = 0
  /** Unix ms at which all pending events are confirmed. */
  pendingUntil = 0

  constructor(rentFids: readonly number[] = []) {
    this.rentFids = rentFids
  }

  /** A copy, for a decision that must not change this state. */
  copy(): AccountState {
    const copy = new AccountState(this.rentFids)
    for (const [fid, account] of this.#accounts) copy.#accounts.set(fid, account)
    for (const [address, fid] of this.#fids) copy.#fids.set(address, fid)
    for (const [key, state] of this.#keys) copy.#keys.set(key, state)
    for (const [fid, count] of this.#keyCounts) copy.#keyCounts.set(fid, count)
    for (const [of, nonce] of this.#nonces) copy.#nonces.set(of, nonce)
    copy.rents.push(...this.rents)
    const { newestFid, block, pendingEvents, pendingUntil } = this
    return Object.assign(copy, { newestFid, block, pendingEvents, pendingUntil })
  }

  rentsOf(fid: number): Rent[] {
    return this.rents.filter((rent) => rent.fid === fid)
  }

  account(address: Uint8Array): Account | undefined {
    const fid = this.#fids.get(toHex(address))
    return fid === undefined ? undefined : this.#accounts.get(fid)
  }

  fidOf(address: Uint8Array): number | undefined {
    return this.account(address)?.fid
  }

  keyState(fid: number, key: Uint8Array): KeyState {
    return this.#keys.get(keyText(fid, key)) ?? 'none'
  }

  keyCount(fid: number): number {
    return this.#keyCounts.get(fid) ?? 0
  }

  nonce(contract: NonceContract, address: Uint8Array): number {
    return this.#nonces.get(nonceText({ contract, address }))?.nonce ?? 0
  }

  takeNonce(contract: NonceContract, address: Uint8Array): void {
    const nonce = this.nonce(contract, address) + 1
    this.putNonce({ contract, address, nonce })
    this.#used.add(nonceText({ contract, address }))
  }

  /** The used nonces, to be stored. */
  usedNonces(): Nonce[] {
    return [...this.#used].map((text) => this.#nonces.get(text)!)
  }

  putNonce(nonce: Nonce): void {
    this.#nonces.set(nonceText(nonce), nonce)
  }

  putAccount(account: Account): void {
    const before = this.#accounts.get(account.fid)
    if (before && this.#fids.get(toHex(before.address)) === account.fid) {
      this.#fids.delete(toHex(before.address))
    }
    this.#accounts.set(account.fid, account)
    this.#fids.set(toHex(account.address), account.fid)
    this.newestFid = Math.max(this.newestFid, account.fid)
  }

  putKey(fid: number, key: Uint8Array, state: KeyState): void {
    this.#keys.set(keyText(fid, key), state)
  }

  putKeyCount(fid: number, count: number): void {
    this.#keyCounts.set(fid, count)
  }

  /** Applies an event. Applying an event again changes nothing. */
  apply({ fid, body }: AccountEvent, rentedAt: number): void {
    if (body.case === 'idRegisterEventBody') {
      const { eventType, to, recoveryAddress } = body.value
      const before = this.#accounts.get(fid)
      const address = eventType === IdRegisterEventType.CHANGE_RECOVERY ? before?.address : to
      const recovery =
        eventType === IdRegisterEventType.TRANSFER ? before?.recovery : recoveryAddress
      if (address) this.putAccount({ fid, address, recovery: recovery ?? new Uint8Array(20) })
    } else if (body.case === 'signerEventBody') {
      const state = body.value.eventType === SignerEventType.ADD ? 'added' : 'removed'
      const change =
        Number(state === 'added') - Number(this.keyState(fid, body.value.key) === 'added')
      this.putKey(fid, body.value.key, state)
      this.putKeyCount(fid, this.keyCount(fid) + change)
    } else if (body.case === 'storageRentEventBody' && this.rentFids.includes(fid)) {
      const { units, expiry } = body.value
      const ends_at = declaredEnd(rentedAt, expiry)
      // Behind every confirmed one.
      const place = { block_number: Number.POSITIVE_INFINITY, log_index: this.rents.length }
      this.rents.push({ fid, ...place, rented_at: rentedAt, units, ends_at })
    }
  }
}

const keyText = (fid: number, key: Uint8Array) => `${fid}:${toHex(key)}`
const nonceText = ({ contract, address }: NonceOf) => `${contract}:${toHex(address)}`
