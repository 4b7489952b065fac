import { answerInOrder, serveThread } from '../src/kernel/base/thread-server.ts'
import { fieldBytes, scanFields } from '../src/kernel/protocol/codec/wire-scan.ts'
import { verifyEd25519 } from '../src/kernel/protocol/crypto/ed25519.ts'
import { NO_BYTES } from '../src/kernel/protocol/sizes.ts'

// Verifies the signatures of serialised messages for bare-submits.ts.

const HASH = 2
const SIGNATURE = 4
const SIGNER = 6

function isSigned(body: Uint8Array): boolean {
  const fields = scanFields(body) ?? []
  const part = (number: number) => {
    const field = fields.find((one) => one.number === number)
    return field ? fieldBytes(body, field) : NO_BYTES
  }
  return verifyEd25519(part(SIGNATURE), part(HASH), part(SIGNER))
}

serveThread((_settings, post: (results: boolean[]) => void) =>
  answerInOrder(post, (bodies: readonly Uint8Array[]) => bodies.map(isSigned)),
)
