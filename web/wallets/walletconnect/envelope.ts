import { chacha20poly1305 } from '@noble/ciphers/chacha'
import { sha256 } from '@noble/hashes/sha2.js'
import { hexOf, utf8Of } from '../../shared/bytes.ts'

// What two ends of WalletConnect send each other through the relay: JSON, encrypted with a key that the relay
// does not know. A topic is the address of such a conversation: the hash of its key.

/** Both ends know the key. Envelopes that bring the sender's public key are of type 1, and not used here. */
const SHARED_KEY = 0
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Without 0x, as the relay writes topics and keys. */
export const plainHex = (bytes: Uint8Array): string => hexOf(bytes).slice(2)

export const topicOf = (key: Uint8Array): string => plainHex(sha256(key))

export function seal(value: unknown, key: Uint8Array): string {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const sealed = chacha20poly1305(key, nonce).encrypt(utf8Of(JSON.stringify(value)))
  return base64Of(Uint8Array.of(SHARED_KEY, ...nonce, ...sealed))
}

/** What was sealed. Throws when the text is no envelope of this key, or was changed on its way. */
export function open(envelope: string, key: Uint8Array): unknown {
  const bytes = Uint8Array.from(atob(envelope), (character) => character.charCodeAt(0))
  if (bytes[0] !== SHARED_KEY || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) {
    throw new Error('This is no envelope of a shared key.')
  }
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES)
  const text = chacha20poly1305(key, nonce).decrypt(bytes.subarray(1 + NONCE_BYTES))
  return JSON.parse(new TextDecoder().decode(text))
}

function base64Of(bytes: Uint8Array): string {
  let characters = ''
  for (const byte of bytes) characters += String.fromCharCode(byte)
  return btoa(characters)
}
