// The part of sodium-native that we call; the package brings no types of its own.
declare module 'sodium-native' {
  const sodium: {
    crypto_sign_verify_detached(sig: Uint8Array, message: Uint8Array, pk: Uint8Array): boolean
    crypto_sign_detached(sig: Uint8Array, message: Uint8Array, sk: Uint8Array): void
    crypto_sign_seed_keypair(pk: Uint8Array, sk: Uint8Array, seed: Uint8Array): void
  }
  export default sodium
}
