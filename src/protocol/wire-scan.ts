// A look at protobuf bytes without a schema: which fields, where. The decoder merges repeated fields and
// lets the last member of a oneof win without a word; hashes and checks need to know what was there.

export type WireField = {
  readonly number: number
  readonly wireType: number
  /** Where the value's bytes begin and end; for length-delimited fields without the length. */
  readonly start: number
  readonly end: number
}

export const WIRE_VARINT = 0
export const WIRE_BYTES = 2
const WIRE_FIXED64 = 1
const WIRE_FIXED32 = 5
const MAX_VARINT_BYTES = 10

/** The top-level fields in order; undefined when the bytes are not a protobuf message. No groups. */
export function scanFields(bytes: Uint8Array): WireField[] | undefined {
  const fields: WireField[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = readVarint(bytes, at)
    if (!tag || tag.value > 0xffff_ffff) return undefined
    const number = Math.floor(tag.value / 8)
    const wireType = tag.value % 8
    const span = valueSpan(bytes, tag.end, wireType)
    if (!span || number === 0 || span.end > bytes.length) return undefined
    fields.push({ number, wireType, start: span.start, end: span.end })
    at = span.end
  }
  return fields
}

/** The bytes of a length-delimited field, not copied. */
export function fieldBytes(bytes: Uint8Array, field: WireField): Uint8Array {
  return bytes.subarray(field.start, field.end)
}

function valueSpan(bytes: Uint8Array, at: number, wireType: number) {
  if (wireType === WIRE_FIXED64) return { start: at, end: at + 8 }
  if (wireType === WIRE_FIXED32) return { start: at, end: at + 4 }
  if (wireType !== WIRE_VARINT && wireType !== WIRE_BYTES) return undefined
  const varint = readVarint(bytes, at)
  if (!varint) return undefined
  if (wireType === WIRE_VARINT) return { start: at, end: varint.end }
  return { start: varint.end, end: varint.end + varint.value }
}

/** A varint as a number (values above 2^53 lose their last digits); undefined when it does not end. */
export function readVarint(bytes: Uint8Array, start: number) {
  let value = 0
  let unit = 1
  for (let at = start; at < start + MAX_VARINT_BYTES; at++) {
    const byte = bytes[at]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * unit
    if (byte < 0x80) return { value, end: at + 1 }
    unit *= 128
  }
  return undefined
}
