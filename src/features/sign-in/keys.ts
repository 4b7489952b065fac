import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import type { Clock } from '../../kernel/base/clock.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { StoredSignInKey } from './tables/sign-in.ts'
import { signInRows } from './tables/sign-in.ts'

// The RSA key that signs tokens. It is in the store, so that all processes and every backup have it.

export const ALGORITHM = 'RS256'

export type SigningKey = {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
  /** The private exponent: a secret of this network that other secrets follow from. */
  readonly secret: string
}

export class SigningKeys {
  readonly #storage: Storage
  readonly #clock: Clock
  #used: SigningKey | undefined

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** The key in use; made when it is first needed. */
  async current(): Promise<SigningKey> {
    const stored = (await this.#storage.of(signInRows).key()) ?? (await this.#add())
    if (this.#used?.kid !== stored.kid) this.#used = await read(stored)
    return this.#used!
  }

  /** Replaces the key: tokens and nonces that the former one made stop counting at once. */
  async replace(): Promise<string> {
    const made = await this.#make()
    await this.#storage.write('all/sign-ins', (tx) => tx.of(signInRows).replaceKey(made))
    return made.kid
  }

  /** Of several processes that start at once, one makes the key. */
  async #add(): Promise<StoredSignInKey> {
    const made = await this.#make()
    return this.#storage.write('all/sign-ins', async (tx) => {
      const found = await tx.of(signInRows).key()
      if (!found) await tx.of(signInRows).replaceKey(made)
      return found ?? made
    })
  }

  async #make(): Promise<StoredSignInKey> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
    const private_jwk = JSON.stringify(await exportJWK(privateKey))
    return { kid: randomUUID(), private_jwk, created_at: this.#clock.now() }
  }
}

async function read({ kid, private_jwk }: StoredSignInKey): Promise<SigningKey> {
  const jwk = JSON.parse(private_jwk) as JWK
  const privateKey = (await importJWK(jwk, ALGORITHM)) as CryptoKey
  const { kty, n, e } = jwk
  const publicJwk = { kty, n, e, alg: ALGORITHM, use: 'sig', kid } as JWK
  return { kid, privateKey, publicJwk, secret: jwk.d! }
}
