import { concatBytes } from './concat-bytes.ts'

/** A non-negative integer up to 2^53 - 1 as a protobuf varint. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Uint8Array.from([...bytes, rest])
}

/** A length-delimited field: bytes, a text or a message. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return concatBytes(varint(number * 8 + 2), varint(value.length), value)
}

/** A varint field, written also when the value is 0. */
export function numberField(number: number, value: number): Uint8Array {
  return concatBytes(varint(number * 8), varint(value))
}
