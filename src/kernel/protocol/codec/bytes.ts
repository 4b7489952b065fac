// Bytes as text, and the byte operations that the protocol needs.

export { concatBytes } from './concat-bytes.ts'

/** "0x" and lowercase hex digits; no bytes give "". */
export function toHex(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : `0x${asBuffer(bytes).toString('hex')}`
}

const HEX = /^(?:[0-9a-f]{2})*$/i

/** Reads hex of either case, with or without "0x"; undefined for an odd length or other characters. */
export function fromHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
  return HEX.test(digits) ? own(Buffer.from(digits, 'hex')) : undefined
}

/** Base64 in the standard alphabet, padded; no bytes give "". */
export function toBase64(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('base64')
}

const BASE64 = /^[A-Za-z0-9+/]*$/

/**
 * Reads base64 of the standard or the url-safe alphabet, padded or not; undefined for anything else.
 * A space counts as "+", which is what an unescaped "+" becomes in a query string.
 */
export function fromBase64(text: string): Uint8Array | undefined {
  const standard = text.replaceAll(' ', '+').replaceAll('-', '+').replaceAll('_', '/')
  const digits = standard.replace(/={1,2}$/, '')
  const padded = standard.length !== digits.length
  if (!BASE64.test(digits) || digits.length % 4 === 1) return undefined
  if (padded && standard.length % 4 !== 0) return undefined
  return own(Buffer.from(digits, 'base64'))
}

/**
 * True when both have the same length and content. V8 keeps arrays of up to 64 bytes in its heap; `Buffer.compare` would
 * give each its own memory outside of it, which costs five times as much as comparing them.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
  }
  return true
}

/** Unsigned lexicographic order, -1, 0 or 1; of two with a common prefix the shorter is smaller. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** Four bytes, most significant first, of an integer from 0 to 2^32 - 1. */
export function u32be(n: number): Uint8Array {
  return Uint8Array.of(n >>> 24, n >>> 16, n >>> 8, n)
}

/** Length of a text in UTF-8 bytes, the unit of every limit of the protocol. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes; undefined when they are not UTF-8. A leading U+FEFF is kept as text. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The UTF-8 bytes of a text. */
export function toUtf8(text: string): Uint8Array {
  return own(Buffer.from(text, 'utf8'))
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** A copy as a plain Uint8Array: small Buffers share one pool and compare unequal in assertions. */
function own(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer)
}
