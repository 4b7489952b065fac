import { equalBytes } from './codec/bytes.ts'
import { ADDRESS_BYTES, KEY_BYTES } from './sizes.ts'

// An address of a fid that signs in for it, and signs no messages. Its key is the address as the ABI encodes it.

/** The key type of auth addresses. */
export const AUTH_ADDRESS_KEY_TYPE = 2

const PADDING = new Uint8Array(KEY_BYTES - ADDRESS_BYTES)

/** The key of an address. */
export const authAddressKey = (address: Uint8Array): Uint8Array => Buffer.concat([PADDING, address])

/** Whether a key is an address in its encoding. */
export const isAuthAddressKey = (key: Uint8Array): boolean =>
  key.length === KEY_BYTES && equalBytes(key.subarray(0, PADDING.length), PADDING)
