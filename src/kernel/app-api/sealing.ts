import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { concatBytes } from '../protocol/codec/bytes.ts'

// Secrets at rest. A sealed secret cannot be opened without the sealing key, nor in another row than its own.

/** The sealing key: AES-256. */
export const SEALING_KEY_BYTES = 32
/** The length of nonce that AES-GCM is specified for. Nonces are random, which is safe below 2^32 secrets for each key. */
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export class UnreadableSecretError extends Error {
  constructor() {
    super('a sealed secret cannot be read: was it sealed with another ROOKERY_SIGNER_SECRET?')
    this.name = 'UnreadableSecretError'
  }
}

/** Encrypts secrets with a key of SEALING_KEY_BYTES. */
export class Sealer {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    if (key.length !== SEALING_KEY_BYTES) throw new Error('the sealing key must be 32 bytes')
    this.#key = key
  }

  /** Encrypts a secret. `owner` names the row that it belongs to; the same is needed to open it. */
  seal(secret: Uint8Array, owner: readonly Uint8Array[]): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(bound(owner))
    const encrypted = concatBytes(cipher.update(secret), cipher.final())
    return concatBytes(nonce, encrypted, cipher.getAuthTag())
  }

  /** 32 bytes that follow from the key and a name. */
  derive(name: string): Uint8Array {
    return createHmac('sha256', this.#key).update(`rookery ${name}`).digest()
  }

  /** Throws an UnreadableSecretError when it was sealed with another key or for another row, or was changed. */
  open(sealed: Uint8Array, owner: readonly Uint8Array[]): Uint8Array {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new UnreadableSecretError()
    const nonce = sealed.subarray(0, NONCE_BYTES)
    const tagAt = sealed.length - TAG_BYTES
    const cipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(bound(owner))
    cipher.setAuthTag(sealed.subarray(tagAt))
    try {
      return concatBytes(cipher.update(sealed.subarray(NONCE_BYTES, tagAt)), cipher.final())
    } catch {
      throw new UnreadableSecretError()
    }
  }
}

/** The parts with their lengths: different lists of parts never have the same bytes. */
const bound = (parts: readonly Uint8Array[]): Uint8Array =>
  concatBytes(...parts.flatMap((part) => [Uint8Array.of(part.length), part]))
