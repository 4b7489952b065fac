import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concatBytes, toUtf8 } from '../protocol/codec/bytes.ts'
import {
  IdRegisterEventBodySchema,
  IdRegisterEventType,
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventBodySchema,
  SignerEventType,
  SignerMigratedEventBodySchema,
  StorageRentEventBodySchema,
  TierPurchaseBodySchema,
} from '../protocol/wire/onchain_event_pb.js'
import type { NewKey } from './port.ts'

// Creates, encodes and decodes on-chain events.

/** An event that has no place on the chain yet. */
export type AccountEvent = Pick<OnChainEvent, 'type' | 'body'> & { readonly fid: number }

/** The place of one call's events on the chain. */
export type Block = {
  readonly chainId: number
  readonly blockNumber: number
  /** Unix seconds. */
  readonly timestamp: number
}

/** The lifetime that the rent events of a chain declare; hubs use the time of the block instead. */
const RENT_SECONDS = 31_536_000

export const fidRegistered = (fid: number, to: Uint8Array, recoveryAddress: Uint8Array) =>
  idEvent(fid, { eventType: IdRegisterEventType.REGISTER, to, recoveryAddress })

export const fidTransferred = (fid: number, from: Uint8Array, to: Uint8Array) =>
  idEvent(fid, { eventType: IdRegisterEventType.TRANSFER, from, to })

export const recoveryChanged = (fid: number, recoveryAddress: Uint8Array) =>
  idEvent(fid, { eventType: IdRegisterEventType.CHANGE_RECOVERY, recoveryAddress })

type IdEventInit = Parameters<typeof create<typeof IdRegisterEventBodySchema>>[1]

const idEvent = (fid: number, body: IdEventInit): AccountEvent => ({
  type: OnChainEventType.EVENT_TYPE_ID_REGISTER,
  fid,
  body: { case: 'idRegisterEventBody', value: create(IdRegisterEventBodySchema, body) },
})

export function keyAdded(
  fid: number,
  added: Pick<NewKey, 'key' | 'keyType' | 'metadata' | 'metadataType'>,
): AccountEvent {
  const { key, keyType, metadata, metadataType } = added
  const eventType = SignerEventType.ADD
  const body = { eventType, key, keyType, metadata, metadataType }
  return signerEvent(fid, body)
}

/** Like the deployed events, it does not contain the key's type. */
export const keyRemoved = (fid: number, key: Uint8Array) =>
  signerEvent(fid, { eventType: SignerEventType.REMOVE, key })

/** The contract's owner reset a key, which was possible in the day after the migration. */
export const keyReset = (fid: number, key: Uint8Array) =>
  signerEvent(fid, { eventType: SignerEventType.ADMIN_RESET, key })

type SignerEventInit = Parameters<typeof create<typeof SignerEventBodySchema>>[1]

const signerEvent = (fid: number, body: SignerEventInit): AccountEvent => ({
  type: OnChainEventType.EVENT_TYPE_SIGNER,
  fid,
  body: { case: 'signerEventBody', value: create(SignerEventBodySchema, body) },
})

/** `rentedAt` in Unix seconds, the time of its block; the end is that of a chain's events unless given. */
export function storageRented(
  fid: number,
  rent: { payer: Uint8Array; units: number; rentedAt: number; endsAt?: number },
): AccountEvent {
  const { payer, units, rentedAt, endsAt = rentedAt + RENT_SECONDS } = rent
  const body = { payer, units, expiry: endsAt }
  return {
    type: OnChainEventType.EVENT_TYPE_STORAGE_RENT,
    fid,
    body: { case: 'storageRentEventBody', value: create(StorageRentEventBodySchema, body) },
  }
}

/** All keys of the former contract have been migrated; this event has no fid. `migratedAt` in Unix seconds. */
export const keysMigrated = (migratedAt: number): AccountEvent => ({
  type: OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
  fid: 0,
  body: {
    case: 'signerMigratedEventBody',
    value: create(SignerMigratedEventBodySchema, { migratedAt }),
  },
})

export const tierPurchased = (
  fid: number,
  bought: { tierType: number; forDays: bigint; payer: Uint8Array },
): AccountEvent => ({
  type: OnChainEventType.EVENT_TYPE_TIER_PURCHASE,
  fid,
  body: { case: 'tierPurchaseEventBody', value: create(TierPurchaseBodySchema, bought) },
})

/**
 * Places the events of one call on the chain. Hashes follow from the content, so they are the same everywhere.
 */
export function sealBlock(accountEvents: readonly AccountEvent[], block: Block): OnChainEvent[] {
  const events = accountEvents.map(({ type, fid, body }, logIndex) =>
    create(OnChainEventSchema, {
      type,
      chainId: block.chainId,
      blockNumber: block.blockNumber,
      blockTimestamp: BigInt(block.timestamp),
      logIndex,
      fid: BigInt(fid),
      body,
    }),
  )
  const transactionHash = keccak_256(concatBytes(...events.map(encodeOnChainEvent)))
  const blockHash = keccak_256(concatBytes(toUtf8('block'), transactionHash))
  return events.map((event) => Object.assign(event, { transactionHash, blockHash }))
}

export const encodeOnChainEvent = (event: OnChainEvent) => toBinary(OnChainEventSchema, event)
export const decodeOnChainEvent = (bytes: Uint8Array) => fromBinary(OnChainEventSchema, bytes)

/** Where an event is on the chain. */
export type Place = { readonly block_number: number; readonly log_index: number }

export const placeOf = (event: OnChainEvent): Place => ({
  block_number: event.blockNumber,
  log_index: event.logIndex,
})

/** Chain order: by block, then by log. Negative when `a` comes first. */
export const comparePlaces = (a: Place, b: Place): number =>
  a.block_number - b.block_number || a.log_index - b.log_index
