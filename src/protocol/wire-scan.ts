// Finds the fields in protobuf bytes, without a schema. Decoders silently merge repeated fields and keep
// the last member of a oneof; hashes and checks depend on what was really there.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'

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

/**
 * Goes through the top-level fields of protobuf bytes, or of a part of them. Every submitted message is scanned several
 * times, so a scan makes no object for each field.
 */
export class FieldScan implements WireField {
  number = 0
  wireType = 0
  start = 0
  end: number
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
    const tag = varintAt(bytes, this.end)
    if (!(tag <= 0xffff_ffff)) return false
    const number = Math.floor(tag / 8)
    const wireType = tag % 8
    let start = varintEnd
    let end = start
    if (wireType === WIRE_FIXED64) end += 8
    else if (wireType === WIRE_FIXED32) end += 4
    else if (wireType === WIRE_VARINT || wireType === WIRE_BYTES) {
      const value = varintAt(bytes, start)
      if (Number.isNaN(value)) return false
      if (wireType === WIRE_BYTES) start = varintEnd
      end = wireType === WIRE_BYTES ? start + value : varintEnd
    } else return false
    if (number === 0 || end > this.#to) return false
    this.number = number
    this.wireType = wireType
    this.start = start
    this.end = end
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

/** The varint at a position, as `readVarint` reads it; NaN when it does not end. */
function varintAt(bytes: Uint8Array, start: number): number {
  let value = 0
  let unit = 1
  for (let at = start; at < start + MAX_VARINT_BYTES; at++) {
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

type FieldRule = {
  readonly name: string
  readonly wireTypes: readonly number[]
  /** The message inside, when the field is one. */
  readonly inner: DescMessage | undefined
  readonly repeated: boolean
}

const rulesOfTypes = new Map<DescMessage, ReadonlyMap<number, FieldRule>>()

/**
 * What is wrong with the bytes of a message of this type, as far as decoders would read it differently:
 * a known field in another wire type (some skip it, some fail, some read on), or a single message
 * that occurs twice (some merge, some replace). Unknown fields are fine.
 */
export function findWireFault(
  type: DescMessage,
  bytes: Uint8Array,
  from = 0,
  to = bytes.length,
): string | undefined {
  const rules = rulesOf(type)
  let met: readonly number[] = []
  const scan = new FieldScan(bytes, from, to)
  while (scan.next()) {
    const rule = rules.get(scan.number)
    if (!rule) continue
    if (!rule.wireTypes.includes(scan.wireType)) return `${rule.name} has a wrong wire type`
    if (!rule.inner) continue
    if (!rule.repeated) {
      if (met.includes(scan.number)) return `${rule.name} occurs twice`
      met = [...met, scan.number]
    }
    const fault = findWireFault(rule.inner, bytes, scan.start, scan.end)
    if (fault) return fault
  }
  return scan.isBroken ? `${type.name} is not a protobuf message` : undefined
}

function rulesOf(type: DescMessage): ReadonlyMap<number, FieldRule> {
  const known = rulesOfTypes.get(type)
  if (known) return known
  const rules = new Map(type.fields.map((field) => [field.number, ruleOf(field)]))
  rulesOfTypes.set(type, rules)
  return rules
}

const LENGTH_DELIMITED: ReadonlySet<ScalarType | undefined> = new Set([
  ScalarType.STRING,
  ScalarType.BYTES,
])

// Our schema has integers, texts, bytes, enums and messages; lists of numbers come packed or not.
function ruleOf(field: DescField): FieldRule {
  const isBytes = field.message !== undefined || LENGTH_DELIMITED.has(field.scalar)
  const repeated = field.fieldKind === 'list'
  const wireTypes = isBytes ? [WIRE_BYTES] : [WIRE_VARINT, ...(repeated ? [WIRE_BYTES] : [])]
  return { name: field.localName, wireTypes, inner: field.message, repeated }
}
