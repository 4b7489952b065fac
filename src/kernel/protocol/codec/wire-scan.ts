// Finds the fields in protobuf bytes, without a schema. Decoders silently merge repeated fields and keep
// the last member of a oneof; hashes and checks depend on what was really there.

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
/** A varint of 64 bits. Decoders skip unknown ones of this length alike. */
export const MAX_VARINT_BYTES = 10
/** A varint of 32 bits, as tags and lengths are. Published clients read 5 bytes and then skip 5 more, whatever their number. */
export const MAX_SHORT_VARINT_BYTES = 5

/**
 * Goes through the top-level fields of protobuf bytes, or of a part of them. Every submitted message is scanned several
 * times, so a scan makes no object for each field.
 */
export class FieldScan implements WireField {
  /** Of a broken scan the field that is broken; 0 when its tag is. */
  number = 0
  wireType = 0
  start = 0
  end: number
  /** Of a varint, as `readVarint` reads it; of a length-delimited field its length. */
  value = 0
  /** Whether the scan ended where the bytes are not a protobuf message. */
  isBroken = false
  readonly #bytes: Uint8Array
  readonly #to: number

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.#bytes = bytes
    this.end = from
    this.#to = to
  }

  /** Moves on to the next field. Returns false at the end. No groups. */
  next(): boolean {
    if (this.end >= this.#to || this.isBroken) return false
    this.isBroken = !this.#read()
    return !this.isBroken
  }

  #read(): boolean {
    const bytes = this.#bytes
    this.number = 0
    const tag = varintAt(bytes, this.end, MAX_SHORT_VARINT_BYTES)
    if (!(tag <= 0xffff_ffff)) return false
    const number = Math.floor(tag / 8)
    this.number = number
    const wireType = tag % 8
    let start = varintEnd
    let end = start
    let value = 0
    if (wireType === WIRE_FIXED64) end += 8
    else if (wireType === WIRE_FIXED32) end += 4
    else if (wireType === WIRE_VARINT || wireType === WIRE_BYTES) {
      value = varintAt(bytes, start, wireType === WIRE_BYTES ? MAX_SHORT_VARINT_BYTES : undefined)
      if (Number.isNaN(value)) return false
      if (wireType === WIRE_BYTES) start = varintEnd
      end = wireType === WIRE_BYTES ? start + value : varintEnd
    } else return false
    if (number === 0 || end > this.#to) return false
    this.wireType = wireType
    this.start = start
    this.end = end
    this.value = value
    return true
  }
}

/**
 * The top-level fields in order, the first `maxFields` of them; undefined when the bytes before that are not a
 * protobuf message.
 */
export function scanFields(
  bytes: Uint8Array,
  maxFields = Number.POSITIVE_INFINITY,
): WireField[] | undefined {
  const fields: WireField[] = []
  const scan = new FieldScan(bytes)
  while (fields.length < maxFields && scan.next()) {
    const { number, wireType, start, end } = scan
    fields.push({ number, wireType, start, end })
  }
  return scan.isBroken ? undefined : fields
}

/** The bytes of a length-delimited field, not copied. */
export function fieldBytes(bytes: Uint8Array, field: WireField): Uint8Array {
  return bytes.subarray(field.start, field.end)
}

/** A varint as a number (values above 2^53 lose their last digits); undefined when it does not end. */
export function readVarint(bytes: Uint8Array, start: number) {
  const value = varintAt(bytes, start)
  return Number.isNaN(value) ? undefined : { value, end: varintEnd }
}

/** Where the varint ended that was read last. An object for each would cost more than reading it. */
let varintEnd = 0

/** The varint at a position, as `readVarint` reads it; NaN when it does not end within so many bytes. */
function varintAt(bytes: Uint8Array, start: number, maxBytes = MAX_VARINT_BYTES): number {
  let value = 0
  let unit = 1
  for (let at = start; at < start + maxBytes; at++) {
    const byte = bytes[at]
    if (byte === undefined) return Number.NaN
    value += (byte & 0x7f) * unit
    if (byte < 0x80) {
      varintEnd = at + 1
      return value
    }
    unit *= 128
  }
  return Number.NaN
}
