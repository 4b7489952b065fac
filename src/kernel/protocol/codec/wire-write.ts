import { concatBytes } from './concat-bytes.ts'

/** A non-negative integer up to 2^53 - 1 as a protobuf varint. */
export function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintSize(value))
  writeVarint(bytes, 0, value)
  return bytes
}

/** A length-delimited field: bytes, a text or a message. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return concatBytes(fieldHead(number, value.length), value)
}

/** What precedes the bytes of a length-delimited field. */
export function fieldHead(number: number, length: number): Uint8Array {
  return varintPair(number * 8 + 2, length)
}

/** A varint field, written also when the value is 0. */
export function numberField(number: number, value: number): Uint8Array {
  return varintPair(number * 8, value)
}

function varintPair(first: number, second: number): Uint8Array {
  const at = varintSize(first)
  const bytes = new Uint8Array(at + varintSize(second))
  writeVarint(bytes, 0, first)
  writeVarint(bytes, at, second)
  return bytes
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

function writeVarint(bytes: Uint8Array, at: number, value: number): void {
  let next = at
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[next++] = (rest % 128) + 128
  bytes[next] = rest
}
