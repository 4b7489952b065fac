import type { InputColumns, SqlValue } from './sql.ts'

type ElementType = InputColumns[string]

const OIDS = { bigint: 20, bytea: 17, text: 25 } as const
const INTEGER_BYTES = 8
const LENGTH_BYTES = 4
/** Dimensions, whether there are nulls, type of the elements, number of elements, index of the first one. */
const HEADER_BYTES = 20
const TWO_TO_32 = 2 ** 32

/**
 * PostgreSQL's binary form of an array. In its text form bytes are twice as long, and the database reads them character by
 * character: a message takes 2 to 5 us more of the database and 2 to 3 of the thread that merges it.
 */
export function binaryArray(type: ElementType, values: readonly SqlValue[]): Buffer {
  const lengths = values.map((value) => lengthOf(type, value))
  let size = HEADER_BYTES
  for (const length of lengths) size += LENGTH_BYTES + Math.max(0, length)
  const bytes = Buffer.allocUnsafe(size)
  const header = [1, 1, OIDS[type], values.length, 1]
  for (const [i, number] of header.entries()) bytes.writeInt32BE(number, i * LENGTH_BYTES)
  let at = HEADER_BYTES
  for (const [i, length] of lengths.entries()) {
    at = bytes.writeInt32BE(length, at)
    if (length < 0) continue
    writeElement(bytes, at, values[i]!)
    at += length
  }
  return bytes
}

/** Null has the length -1. */
function lengthOf(type: ElementType, value: SqlValue): number {
  if (value === null) return -1
  if (typeof value === 'number' && type === 'bigint') return INTEGER_BYTES
  if (typeof value === 'string' && type === 'text') return Buffer.byteLength(value)
  if (typeof value === 'object' && type === 'bytea') return value.length
  throw new TypeError(`a list of ${type} holds a ${typeof value}`)
}

function writeElement(bytes: Buffer, at: number, value: NonNullable<SqlValue>): void {
  if (typeof value === 'string') bytes.write(value, at)
  else if (typeof value === 'object') bytes.set(value, at)
  else {
    if (!Number.isSafeInteger(value)) throw new TypeError(`a list of bigint holds ${value}`)
    bytes.writeInt32BE(Math.floor(value / TWO_TO_32), at)
    bytes.writeUInt32BE(value >>> 0, at + LENGTH_BYTES)
  }
}
