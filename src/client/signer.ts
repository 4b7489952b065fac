import { concatBytes } from '../kernel/protocol/codec/concat-bytes.ts'
import { type Bytes, bytesOf } from './hex.ts'

/** What signs: a key in this program, or a callback to where the key is. */
export type Signer = {
  /** 32 bytes of Ed25519, which the author has added to the account. */
  readonly publicKey: Bytes
  /** The 64-byte signature of the 20-byte hash of a message. */
  sign(hash: Uint8Array): Bytes | Promise<Bytes>
}

/** The two keys as Web Crypto has them; the private one need not be extractable. */
export type KeyPair = { readonly publicKey: Key; readonly privateKey: Key }
/** CryptoKey, which has no name in the types of Node. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const ALGORITHM = 'Ed25519'
const SEED_BYTES = 32
/** What precedes the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410, section 7). */
const PKCS8_HEAD = Uint8Array.of(0x30, 46, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 34, 4, 32)

/** A signer from the 32-byte private key, as `rookery key export` and development networks give it. */
export async function keySigner(privateKey: Bytes): Promise<Signer> {
  const seed = bytesOf(privateKey, 'the private key', SEED_BYTES)
  const pkcs8 = concatBytes(PKCS8_HEAD, seed)
  const { subtle } = webCrypto()
  const source = pkcs8 as Uint8Array<ArrayBuffer>
  const key = await subtle.importKey('pkcs8', source, ALGORITHM, true, ['sign'])
  const { x } = await subtle.exportKey('jwk', key)
  return { publicKey: fromBase64Url(x!), sign: (hash) => signWith(key, hash) }
}

/**
 * A signer from keys of Web Crypto. `crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])` makes a pair
 * whose private key never leaves the browser; IndexedDB keeps it.
 */
export async function keyPairSigner({ publicKey, privateKey }: KeyPair): Promise<Signer> {
  const raw = await webCrypto().subtle.exportKey('raw', publicKey)
  return { publicKey: new Uint8Array(raw), sign: (hash) => signWith(privateKey, hash) }
}

function webCrypto(): typeof crypto {
  if (globalThis.crypto?.subtle) return crypto
  throw new TypeError(
    'there is no Web Crypto here (React Native; pages that are neither https nor localhost): give a signer of your own, { publicKey, sign }',
  )
}

async function signWith(key: Key, hash: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(
    await webCrypto().subtle.sign(ALGORITHM, key, hash as Uint8Array<ArrayBuffer>),
  )
}

const fromBase64Url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
