import { verifyEd25519 } from '../protocol/ed25519.ts'
import type { SignedMessage } from '../protocol/message.ts'

// A batch of signatures in one buffer, so that a thread gets it in one copy: for each message its
// signature (64 bytes), signer (32), hash (20), the length of its data (4, little-endian; 0 when only
// the hash may be what was signed) and the data.

const SIGNATURE_BYTES = 64
const SIGNER_BYTES = 32
const HASH_BYTES = 20
const HEADER_BYTES = SIGNATURE_BYTES + SIGNER_BYTES + HASH_BYTES + 4

/** Packs checked messages: their signatures, signers and hashes have their right lengths. */
export function packSignatures(
  messages: readonly SignedMessage[],
  acceptDataSignatures: boolean,
): Uint8Array {
  const dataLength = (message: SignedMessage) =>
    acceptDataSignatures ? message.dataBytes.length : 0
  const size = messages.reduce((sum, message) => sum + HEADER_BYTES + dataLength(message), 0)
  const packed = Buffer.allocUnsafeSlow(size)
  let at = 0
  for (const message of messages) {
    packed.set(message.signature, at)
    packed.set(message.signer, at + SIGNATURE_BYTES)
    packed.set(message.hash, at + SIGNATURE_BYTES + SIGNER_BYTES)
    at += HEADER_BYTES
    packed.writeUInt32LE(dataLength(message), at - 4)
    if (acceptDataSignatures) packed.set(message.dataBytes, at)
    at += dataLength(message)
  }
  return packed
}

/** For each packed message 1 when its signature holds over the hash or, if packed, over the data. */
export function verifyPacked(bytes: Uint8Array): Uint8Array {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const results: number[] = []
  for (let at = 0; at < packed.length; ) {
    const signer = at + SIGNATURE_BYTES
    const hash = signer + SIGNER_BYTES
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
