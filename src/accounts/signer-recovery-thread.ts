import { parentPort } from 'node:worker_threads'
import { recoverDigestSigner } from '../protocol/secp256k1.ts'
import { CLOSE } from '../thread.ts'

export type RecoveryRequest = { readonly digest: Uint8Array; readonly signature: Uint8Array }

parentPort?.on('message', (request: RecoveryRequest | typeof CLOSE) => {
  const answer = request === CLOSE ? CLOSE : recoverDigestSigner(request.digest, request.signature)
  parentPort?.postMessage(answer)
})
