import { Rejection } from '../../protocol/rejection.ts'
import type { SqlValue } from '../engines/sql.ts'

/** The sort columns of message lists. A page token is the concatenation of their values as bytes. */
export type ListKey = 'timestamp' | 'hash' | 'fid'
const SIZES = { timestamp: 4, hash: 20, fid: 4 } as const

export function tokenOfKey(
  row: { timestamp: number; hash: Uint8Array; fid: number },
  columns: readonly ListKey[],
): Uint8Array {
  return Buffer.concat(columns.map((column) => (column === 'hash' ? row.hash : u32(row[column]))))
}

/** The values of a token, in column order. Throws a Rejection when it is not of this list. */
export function bytesOfToken(token: Uint8Array, columns: readonly ListKey[]): SqlValue[] {
  const size = columns.reduce((sum, column) => sum + SIZES[column], 0)
  if (token.length !== size) throw notOfThisList()
  const bytes = Buffer.from(token.buffer, token.byteOffset, token.byteLength)
  let offset = 0
  return columns.map((column) => {
    const from = offset
    offset += SIZES[column]
    return column === 'hash' ? bytes.subarray(from, offset) : bytes.readUInt32BE(from)
  })
}

/** A token of plain numbers below 2^32, four big-endian bytes each. */
export function numbersToken(...values: number[]): Uint8Array {
  return Buffer.concat(values.map(u32))
}

/** The numbers of such a token. Throws a Rejection when it does not hold `count` of them. */
export function numbersOfToken(token: Uint8Array, count: number): number[] {
  if (token.length !== 4 * count) throw notOfThisList()
  const bytes = Buffer.from(token.buffer, token.byteOffset, token.byteLength)
  return Array.from({ length: count }, (_, i) => bytes.readUInt32BE(4 * i))
}

/** A token that is a key of so many bytes. Throws a Rejection when it is longer or shorter. */
export function keyOfToken(token: Uint8Array, length: number): Uint8Array {
  if (token.length !== length) throw notOfThisList()
  return token
}

/** The refusal of a token that is not a position in the list. */
export function notOfThisList(): Rejection {
  return new Rejection(
    'bad_request.invalid_param',
    'pageToken is not a token of this list; leave it out to begin at the first page',
    { field: 'pageToken' },
  )
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
