import type { AccountDomains } from '../protocol/account-domains.ts'
import { toHex } from '../protocol/bytes.ts'
import {
  ADD_KEY_TYPES,
  CHANGE_RECOVERY_ADDRESS_TYPES,
  REGISTER_TYPES,
  REMOVE_KEY_TYPES,
  TRANSFER_AND_CHANGE_RECOVERY_TYPES,
  TRANSFER_TYPES,
  type TypedData,
} from '../protocol/eip712.ts'

// The typed data of each call, in one place for signers and for the ledger that verifies.

type Terms = { readonly nonce: number; readonly deadline: bigint }
type Struct<T> = (domains: AccountDomains, message: T & Terms) => TypedData

export const registerTypedData: Struct<{ to: Uint8Array; recovery: Uint8Array }> = (
  { idGateway },
  { to, recovery, ...terms },
) => typed(idGateway, REGISTER_TYPES, { to: hex(to), recovery: hex(recovery) }, terms)

/** Signed by both sides of a transfer; in a recovery by the recovery address and the receiver. */
export const transferTypedData: Struct<{ fid: number; to: Uint8Array }> = (
  { idRegistry },
  { fid, to, ...terms },
) => typed(idRegistry, TRANSFER_TYPES, { fid: BigInt(fid), to: hex(to) }, terms)

export const transferAndChangeRecoveryTypedData: Struct<{
  fid: number
  to: Uint8Array
  recovery: Uint8Array
}> = ({ idRegistry }, { fid, to, recovery, ...terms }) => {
  const message = { fid: BigInt(fid), to: hex(to), recovery: hex(recovery) }
  return typed(idRegistry, TRANSFER_AND_CHANGE_RECOVERY_TYPES, message, terms)
}

/** `from` is the present recovery address. */
export const changeRecoveryAddressTypedData: Struct<{
  fid: number
  from: Uint8Array
  to: Uint8Array
}> = ({ idRegistry }, { fid, from, to, ...terms }) => {
  const message = { fid: BigInt(fid), from: hex(from), to: hex(to) }
  return typed(idRegistry, CHANGE_RECOVERY_ADDRESS_TYPES, message, terms)
}

export const addTypedData: Struct<{
  owner: Uint8Array
  keyType: number
  key: Uint8Array
  metadataType: number
  metadata: Uint8Array
}> = ({ keyGateway }, { owner, keyType, key, metadataType, metadata, ...terms }) => {
  const texts = { owner: hex(owner), key: hex(key), metadata: hex(metadata) }
  return typed(keyGateway, ADD_KEY_TYPES, { ...texts, keyType, metadataType }, terms)
}

export const removeTypedData: Struct<{ owner: Uint8Array; key: Uint8Array }> = (
  { keyRegistry },
  { owner, key, ...terms },
) => typed(keyRegistry, REMOVE_KEY_TYPES, { owner: hex(owner), key: hex(key) }, terms)

function typed(
  domain: TypedData['domain'],
  types: TypedData['types'],
  message: Record<string, unknown>,
  { nonce, deadline }: Terms,
): TypedData {
  const primaryType = Object.keys(types)[0]!
  return { domain, types, primaryType, message: { ...message, nonce: BigInt(nonce), deadline } }
}

const hex = (bytes: Uint8Array) => toHex(bytes) || '0x'
