import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from '../protocol/ed25519.ts'
import { HASH_BYTES } from '../protocol/hash.ts'

// A batch of signatures is one buffer, so that it is posted to a thread in one copy. For each message
// it holds the signature (64 bytes), signer (32), hash (20), length of the data (4, little-endian; 0
// when only signatures over the hash are accepted) and the data.

const HEADER_BYTES = SIGNATURE_BYTES + PUBLIC_KEY_BYTES + HASH_BYTES + 4

/** What a signature is verified with; `data` are the hashed bytes. */
export type Signed = {
  readonly signature: Uint8Array
  readonly signer: Uint8Array
  readonly hash: Uint8Array
  readonly data: Uint8Array
}

/** Packs messages whose signatures, signers and hashes are known to have their right lengths. */
export function packSignatures(
  messages: readonly Signed[],
  acceptDataSignatures: boolean,
): Uint8Array {
  const dataLength = (message: Signed) => (acceptDataSignatures ? message.data.length : 0)
  const size = messages.reduce((sum, message) => sum + HEADER_BYTES + dataLength(message), 0)
  const packed = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const message of messages) {
    packed.set(message.signature, at)
    packed.set(message.signer, at + SIGNATURE_BYTES)
    packed.set(message.hash, at + SIGNATURE_BYTES + PUBLIC_KEY_BYTES)
    at += HEADER_BYTES
    packed.writeUInt32LE(dataLength(message), at - 4)
    if (acceptDataSignatures) packed.set(message.data, at)
    at += dataLength(message)
  }
  return packed
}

/** For each packed message 1 when its signature is valid over the hash or, if packed, over the data. */
export function verifyPacked(bytes: Uint8Array): Uint8Array {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const results: number[] = []
  for (let at = 0; at < packed.length; ) {
    const signer = at + SIGNATURE_BYTES
    const hash = signer + PUBLIC_KEY_BYTES
    const data = at + HEADER_BYTES
    const end = data + packed.readUInt32LE(data - 4)
    const signature = packed.subarray(at, signer)
    const key = packed.subarray(signer, hash)
    const overHash = verifyEd25519(signature, packed.subarray(hash, hash + HASH_BYTES), key)
    const valid =
      overHash || (end > data && verifyEd25519(signature, packed.subarray(data, end), key))
    results.push(valid ? 1 : 0)
    at = end
  }
  return Uint8Array.from(results)
}
