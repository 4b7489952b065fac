import { fromBinary } from '@bufbuild/protobuf'
import { AUTH_ADDRESS_KEY_TYPE, isAuthAddressKey } from '../../protocol/auth-address.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { decodeSignedKeyRequestMetadata } from '../../protocol/crypto/key-request-metadata.ts'
import { ADDRESS_BYTES, MAX_FID } from '../../protocol/sizes.ts'
import { OnChainEventSchema, SignerEventType } from '../../protocol/wire/onchain_event_pb.js'
import type { Reader } from '../../storage/storage.ts'

/** An address that signs in for a user, and the fid of the app that asked for it. */
type AuthAddress = { readonly address: string; readonly app: number | undefined }
export type AuthAddresses = ReadonlyMap<number, readonly AuthAddress[]>

/** The auth addresses of these fids, by one statement. */
export async function readAuthAddresses(
  { accounts }: Pick<Reader, 'accounts'>,
  fids: readonly number[],
): Promise<AuthAddresses> {
  const events = await accounts.authAddressEvents(fids)
  const found = new Map<number, AuthAddress[]>()
  for (const { fid, body } of events) {
    const address = authAddress(body)
    if (address) found.getOrInsertComputed(fid, () => []).push(address)
  }
  return found
}

/** What the newest event about a key says: an auth address that was added, or nothing. */
function authAddress(event: Uint8Array): AuthAddress | undefined {
  const { body } = fromBinary(OnChainEventSchema, event)
  if (body.case !== 'signerEventBody') return undefined
  const { eventType, keyType, key, metadata } = body.value
  const isAdded = eventType === SignerEventType.ADD && keyType === AUTH_ADDRESS_KEY_TYPE
  if (!isAdded || !isAuthAddressKey(key)) return undefined
  const requester = decodeSignedKeyRequestMetadata(metadata)?.requestFid
  const isFid = requester !== undefined && requester >= 1n && requester <= BigInt(MAX_FID)
  return { address: toHex(key.slice(-ADDRESS_BYTES)), app: isFid ? Number(requester) : undefined }
}
