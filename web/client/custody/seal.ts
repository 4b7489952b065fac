import { hexOf, utf8Of } from '../../shared/bytes.ts'

// Sealing the words. A secret of 32 bytes, from a passkey or a password, is split by HKDF into a key that seals and a proof:
// the server is shown the proof, and cannot find the key from it.

/** A sealed copy of the words, as the server and this browser keep it. Bytes in 0x hex. */
export type Copy = {
  readonly kind: 'password' | 'passkey'
  readonly credential?: string
  readonly site?: string
  readonly salt: string
  readonly sealed: string
}
/** With what the server compares: derived from a password, or the public key of a passkey. */
export type NewCopy = Copy & { readonly proof: string }

const SALT_BYTES = 32
const IV_BYTES = 12
/** Words are filled up to this, so that the length of what is sealed says nothing. */
const SEALED_TEXT_BYTES = 128
const BOUND_TO = utf8Of('rookery sealed key 1')

export const newSalt = (): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(SALT_BYTES))

type Keys = { readonly key: CryptoKey; readonly proof: Uint8Array }

export async function keysOf(secret: Uint8Array, salt: Uint8Array): Promise<Keys> {
  const base = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, [
    'deriveBits',
    'deriveKey',
  ])
  const terms = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(salt),
    info: new Uint8Array(utf8Of(info)),
  })
  const aes = { name: 'AES-GCM', length: 256 }
  const uses = ['encrypt', 'decrypt'] as const
  return {
    key: await crypto.subtle.deriveKey(terms('rookery seal'), base, aes, false, uses),
    proof: new Uint8Array(await crypto.subtle.deriveBits(terms('rookery proof'), base, 256)),
  }
}

const gcm = (iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new Uint8Array(BOUND_TO),
})

export async function seal(words: string, key: CryptoKey): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const text = new Uint8Array(utf8Of(words.padEnd(SEALED_TEXT_BYTES)))
  const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm(iv), key, text))
  return hexOf(new Uint8Array([...iv, ...sealed]))
}

/** The words; undefined when the key is another one. */
export async function open(sealed: Uint8Array, key: CryptoKey): Promise<string | undefined> {
  const [iv, rest] = [sealed.slice(0, IV_BYTES), sealed.slice(IV_BYTES)]
  try {
    const text = await crypto.subtle.decrypt(gcm(iv), key, rest)
    return new TextDecoder().decode(text).trim()
  } catch {
    return undefined
  }
}
