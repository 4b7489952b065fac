import { toUtf8 } from '../codec/bytes.ts'
import { keccak256 } from './keccak.ts'

/** Whether a text is an Ethereum address with its EIP-55 checksum. */
export const isChecksumAddress = (text: string): boolean =>
  /^0x[0-9a-fA-F]{40}$/.test(text) && text === checksumAddress(text)

/**
 * An Ethereum address, "0x" and 40 hex digits, with its EIP-55 checksum: a letter is upper case when the hex digit at
 * its place in keccak256(lower-case digits) is 8 or more. Written out because viem, which has it too, would cost every
 * merging thread 30 MB.
 */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = keccak256(toUtf8(digits))
  const written = [...digits].map((digit, i) => {
    const nibble = i % 2 === 0 ? hash[i >> 1]! >> 4 : hash[i >> 1]! & 15
    return nibble >= 8 ? digit.toUpperCase() : digit
  })
  return `0x${written.join('')}`
}
