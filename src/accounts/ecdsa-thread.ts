import { recoverDigestSigner, signDigest } from '../protocol/secp256k1.ts'
import { answerInOrder, serveThread } from '../thread-server.ts'

/** To recover the signer of a signature, or to sign with a 32-byte key. */
export type EcdsaRequest = { readonly digest: Uint8Array } & (
  | { readonly signature: Uint8Array }
  | { readonly key: Uint8Array }
)

/** The 20-byte address, undefined when no key can have signed; or the 65-byte signature. */
export type EcdsaResult = Uint8Array | undefined

serveThread((_settings: undefined, post) =>
  answerInOrder(post, (requests: readonly EcdsaRequest[]) => requests.map(resultOf)),
)

function resultOf(request: EcdsaRequest): EcdsaResult {
  return 'key' in request
    ? signDigest(request.digest, request.key)
    : recoverDigestSigner(request.digest, request.signature)
}
