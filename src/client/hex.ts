import { isBytes, must } from './checks.ts'

// Uint8Array.fromHex is younger than the oldest Node that we support.

/** "0x" and lowercase hex digits. */
export const toHex = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Bytes, or hex digits with or without "0x". */
export type Bytes = Uint8Array | string

/** The bytes. Throws when `length` is given and they are not that many. */
export function bytesOf(value: Bytes, what: string, length?: number): Uint8Array {
  must(typeof value === 'string' || isBytes(value), what, 'bytes or hex digits', value)
  const bytes = typeof value === 'string' ? fromHex(value, what) : value
  if (length === undefined || bytes.length === length) return bytes
  throw new TypeError(`${what} must have ${length} bytes, not ${bytes.length}`)
}

function fromHex(text: string, what: string): Uint8Array {
  const digits = text.replace(/^0x/i, '')
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new TypeError(`${what} must be hex digits`)
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
