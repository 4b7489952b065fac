import { recoverDigestSigner, signDigest } from '../protocol/secp256k1.ts'
import { answerInOrder, serveThread } from '../thread-server.ts'

/** To recover the signer of a signature, or to sign with a 32-byte key. */
export type EcdsaRequest = { readonly digest: Uint8Array } & (
  | { readonly signature: Uint8Array }
  | { readonly key: Uint8Array }
)

serveThread((_settings: undefined, post) =>
  answerInOrder(post, (request: EcdsaRequest) =>
    'key' in request
      ? signDigest(request.digest, request.key)
      : recoverDigestSigner(request.digest, request.signature),
  ),
)
