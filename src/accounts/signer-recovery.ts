import { toHex } from '../protocol/bytes.ts'
import { ETH_SIGNATURE_BYTES } from '../protocol/secp256k1.ts'
import { startThread, type Thread } from '../thread.ts'
import type { RecoveryRequest } from './signer-recovery-thread.ts'

/** Results that are remembered, about 350 bytes each: 3 MB. */
const MAX_REMEMBERED = 8_192

/**
 * Recovers the signers of plain Ethereum signatures in a worker thread, so that a call with many
 * signatures does not hold up the main thread. Each signature is recovered once: a call that is
 * simulated and then made, or sent again after a refusal, costs no more curve arithmetic.
 */
class SignerRecovery {
  readonly #results = new Map<string, Promise<Uint8Array | undefined>>()
  #thread: Thread<RecoveryRequest, Uint8Array | undefined> | undefined
  #recovered = 0

  /** Signatures that were really recovered, not remembered. */
  get recovered(): number {
    return this.#recovered
  }

  /**
   * The 20-byte address that signed a 32-byte digest. Undefined when the signature is not 65 bytes that
   * some key could have made. Never the zero address.
   */
  async recover(digest: Uint8Array, signature: Uint8Array): Promise<Uint8Array | undefined> {
    if (signature.length !== ETH_SIGNATURE_BYTES) return undefined
    const id = toHex(digest) + toHex(signature)
    const known = this.#results.get(id)
    const result = known ?? this.#ask({ digest, signature })
    // In order of last use, so that the least recently used entry is evicted.
    if (known) this.#results.delete(id)
    this.#results.set(id, result)
    if (this.#results.size > MAX_REMEMBERED)
      this.#results.delete(this.#results.keys().next().value!)
    // A thread that died says nothing about the signature.
    result.catch(() => this.#results.delete(id))
    return result
  }

  #ask(request: RecoveryRequest): Promise<Uint8Array | undefined> {
    this.#recovered++
    this.#thread ??= startThread(new URL('./signer-recovery-thread.ts', import.meta.url), undefined)
    return this.#thread.ask(request)
  }
}

/**
 * One for the whole process: the thread starts with the first signature and does not keep the process alive.
 */
export const signerRecovery = new SignerRecovery()
