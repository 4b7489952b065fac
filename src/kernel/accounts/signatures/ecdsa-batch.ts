import {
  ETH_SIGNATURE_BYTES,
  recoverDigestSigner,
  signDigest,
} from '../../protocol/crypto/secp256k1.ts'
import { KEY_BYTES } from '../../protocol/sizes.ts'

// A batch of requests is one buffer, and so are its results: posted as objects, each array of bytes costs as much
// as the message itself.

/** To recover the signer of a 65-byte signature of a 32-byte digest, or to sign the digest with a 32-byte key. */
export type EcdsaRequest = { readonly digest: Uint8Array } & (
  | { readonly signature: Uint8Array }
  | { readonly key: Uint8Array }
)

/** The 20-byte address, undefined when no key can have signed; or the 65-byte signature. */
export type EcdsaResult = Uint8Array | undefined

const DIGEST_BYTES = 32
/** The length of the signature or the key, the digest, and the signature or the key. */
const REQUEST_BYTES = 1 + DIGEST_BYTES + ETH_SIGNATURE_BYTES
/** The length of the result, 0 for none, and the result. */
const RESULT_BYTES = 1 + ETH_SIGNATURE_BYTES

export const packRequests = (requests: readonly EcdsaRequest[]): Uint8Array =>
  packed(requests, REQUEST_BYTES, (request) => {
    const operand = 'key' in request ? request.key : request.signature
    return [Uint8Array.of(operand.length), request.digest, operand]
  })

/** Answers the requests of a packed batch with their packed results. */
export const answerPacked = (requests: Uint8Array): Uint8Array =>
  packed(recordsOf(requests, REQUEST_BYTES), RESULT_BYTES, (request) => {
    const result = resultOf(request)
    return [Uint8Array.of(result?.length ?? 0), ...(result ? [result] : [])]
  })

export const unpackResults = (results: Uint8Array): EcdsaResult[] =>
  recordsOf(results, RESULT_BYTES).map((record) =>
    record[0] === 0 ? undefined : record.slice(1, 1 + record[0]!),
  )

function resultOf(request: Uint8Array): EcdsaResult {
  const digest = request.subarray(1, 1 + DIGEST_BYTES)
  const operand = request.subarray(1 + DIGEST_BYTES, 1 + DIGEST_BYTES + request[0]!)
  const isKey = operand.length === KEY_BYTES
  return isKey ? signDigest(digest, operand) : recoverDigestSigner(digest, operand)
}

/** Records of one length, each made of these parts and zeros. */
function packed<T>(
  list: readonly T[],
  recordBytes: number,
  partsOf: (one: T) => readonly Uint8Array[],
): Uint8Array {
  const bytes = new Uint8Array(list.length * recordBytes)
  for (const [i, one] of list.entries()) {
    let at = i * recordBytes
    for (const part of partsOf(one)) {
      bytes.set(part, at)
      at += part.length
    }
  }
  return bytes
}

const recordsOf = (bytes: Uint8Array, recordBytes: number): Uint8Array[] =>
  Array.from({ length: bytes.length / recordBytes }, (_, i) =>
    bytes.subarray(i * recordBytes, (i + 1) * recordBytes),
  )
