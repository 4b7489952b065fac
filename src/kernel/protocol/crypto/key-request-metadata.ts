// Apart from eip712.ts because viem takes 30 MB of memory in every thread that loads it, and threads that check
// messages read no metadata.

import { decodeAbiParameters, encodeAbiParameters } from 'viem/utils'
import { fromHex, toHex } from '../codec/bytes.ts'
import { SIGNED_KEY_REQUEST_METADATA } from './key-request-abi.ts'

type Hex = `0x${string}`

/** Who asked for a key; travels as the metadata (type 1) of the key's on-chain event. */
export type SignedKeyRequest = {
  readonly requestFid: bigint
  /** 20 bytes. */
  readonly requestSigner: Uint8Array
  readonly signature: Uint8Array
  /** Unix seconds; a moment equal to it is still in time. */
  readonly deadline: bigint
}

/** ABI encoding of the request as one tuple: 288 bytes with a 65-byte signature. */
export function encodeSignedKeyRequestMetadata(request: SignedKeyRequest): Uint8Array {
  const encoded = encodeAbiParameters(SIGNED_KEY_REQUEST_METADATA, [
    {
      requestFid: request.requestFid,
      requestSigner: toHex(request.requestSigner),
      signature: toHex(request.signature) || '0x',
      deadline: request.deadline,
    } as { requestFid: bigint; requestSigner: Hex; signature: Hex; deadline: bigint },
  ])
  return fromHex(encoded)!
}

/** Reads metadata; undefined when it is not one such tuple. Nothing in it is verified. */
export function decodeSignedKeyRequestMetadata(metadata: Uint8Array): SignedKeyRequest | undefined {
  try {
    const [tuple] = decodeAbiParameters(SIGNED_KEY_REQUEST_METADATA, metadata)
    return {
      requestFid: tuple.requestFid,
      requestSigner: fromHex(tuple.requestSigner)!,
      signature: fromHex(tuple.signature)!,
      deadline: tuple.deadline,
    }
  } catch {
    return undefined
  }
}
