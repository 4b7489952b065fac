import assert from 'node:assert/strict'
import { Thread } from '../../base/thread.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import { ETH_SIGNATURE_BYTES } from '../../protocol/crypto/secp256k1.ts'
import { type EcdsaRequest, type EcdsaResult, packRequests, unpackResults } from './ecdsa-batch.ts'

/**
 * Requests of one message to the thread. Each answer wakes the main thread, which costs several times as much as the
 * message; with more of them the main thread would wait for the last one.
 */
const MAX_BATCH = 16
/** Results that are remembered, about 350 bytes each: 3 MB. */
const MAX_REMEMBERED = 8_192

type Waiting = {
  readonly request: EcdsaRequest
  resolve(result: EcdsaResult): void
  reject(error: unknown): void
}

/**
 * Recovers the signers of plain Ethereum signatures, and signs, in a worker thread, so that the curve arithmetic does
 * not hold up the main thread. Each signature is recovered once: a call that is simulated and then made, or sent again
 * after a refusal, costs no more of it.
 */
class Ecdsa {
  readonly #results = new Map<string, Promise<EcdsaResult>>()
  #thread: Thread<Uint8Array, Uint8Array> | undefined
  #waiting: Waiting[] = []
  #recovered = 0

  /** Signatures that were really recovered, not remembered. */
  get recovered(): number {
    return this.#recovered
  }

  /**
   * The 20-byte address that signed a 32-byte digest. Undefined when the signature is not 65 bytes that
   * some key could have made. Never the zero address.
   */
  async recover(digest: Uint8Array, signature: Uint8Array): Promise<EcdsaResult> {
    if (signature.length !== ETH_SIGNATURE_BYTES) return undefined
    const id = toHex(digest) + toHex(signature)
    const known = this.#results.get(id)
    const result = known ?? this.#recover(digest, signature)
    // In order of last use, so that the least recently used entry is evicted.
    if (known) this.#results.delete(id)
    this.#results.set(id, result)
    if (this.#results.size > MAX_REMEMBERED)
      this.#results.delete(this.#results.keys().next().value!)
    // A thread that died says nothing about the signature.
    result.catch(() => this.#results.delete(id))
    return result
  }

  /** Signs a 32-byte digest with a 32-byte key, as `signDigest` does. */
  async sign(digest: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
    const signature = await this.#ask({ digest, key })
    assert(signature, 'a signature is made or an error thrown')
    return signature
  }

  #recover(digest: Uint8Array, signature: Uint8Array): Promise<EcdsaResult> {
    this.#recovered++
    return this.#ask({ digest, signature })
  }

  #ask(request: EcdsaRequest): Promise<EcdsaResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#post())
    })
  }

  /** Posts what was asked in this turn of the event loop. */
  #post(): void {
    this.#thread ??= new Thread(new URL('./ecdsa-thread.ts', import.meta.url), undefined)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH)
      this.#thread.ask(packRequests(batch.map(({ request }) => request))).then(
        (packed) => {
          const results = unpackResults(packed)
          for (const [i, { resolve }] of batch.entries()) resolve(results[i])
        },
        (error) => {
          for (const { reject } of batch) reject(error)
        },
      )
    }
  }
}

/**
 * One for the whole process: the thread starts with its first request and does not keep the process alive.
 */
export const ecdsa = new Ecdsa()
