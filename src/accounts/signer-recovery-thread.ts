import { recoverDigestSigner } from '../protocol/secp256k1.ts'
import { answerInOrder, serveThread } from '../thread-server.ts'

export type RecoveryRequest = { readonly digest: Uint8Array; readonly signature: Uint8Array }

serveThread((_settings: undefined, post) =>
  answerInOrder(post, ({ digest, signature }: RecoveryRequest) =>
    recoverDigestSigner(digest, signature),
  ),
)
