import { fromHex } from '../kernel/protocol/codec/bytes.ts'
import { publicKeyOf, signEd25519 } from '../kernel/protocol/crypto/ed25519.ts'
import type { NetworkAccount } from './network-parts.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs what the platform and servers of apps verify: header, payload and signature, joined by dots. */
export class Signer {
  readonly #seed: Uint8Array
  readonly #header: string

  constructor({ fid, appPrivateKey }: NetworkAccount) {
    this.#seed = fromHex(appPrivateKey)!
    const key = `0x${Buffer.from(publicKeyOf(this.#seed)).toString('hex')}`
    this.#header = part({ fid, type: 'app_key', key })
  }

  sign(payload: object): string {
    return this.signPart(part(payload))
  }

  signPart(payload: string): string {
    const signed = `${this.#header}.${payload}`
    const signature = signEd25519(Buffer.from(signed), this.#seed)
    return `${signed}.${Buffer.from(signature).toString('base64url')}`
  }
}
