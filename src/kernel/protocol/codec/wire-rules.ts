// What a message must be like for all decoders to read it alike. protobuf allows more, but decoders differ in the rest:
// what one accepts, another reads as something else or not at all. Whoever follows the hub has to decode what it accepted.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import {
  FieldScan,
  MAX_SHORT_VARINT_BYTES,
  MAX_VARINT_BYTES,
  readVarint,
  WIRE_BYTES,
  WIRE_VARINT,
} from './wire-scan.ts'

type NumberRule = {
  /** 32 bits or 64. */
  readonly isShort: boolean
  /** Negative numbers of 32 bits are written as 64 bits. */
  readonly isSigned: boolean
}

/** How a field must be encoded. */
export type FieldRule = {
  readonly name: string
  readonly wireTypes: readonly number[]
  /** The message inside, when the field is one. */
  readonly inner: DescMessage | undefined
  /** The number inside, when the field is a number or a list of numbers. */
  readonly number: NumberRule | undefined
  readonly repeated: boolean
}

/** Where a message breaks a rule: the path of the field, undefined when it is the message itself; and what is wrong. */
export type WireFault = { readonly field: string | undefined; readonly what: string }

const rulesOfTypes = new Map<DescMessage, ReadonlyMap<number, FieldRule>>()

/**
 * What is wrong with the bytes of a message of this type, as far as decoders would read it differently: a known field in
 * another wire type (some skip it, some fail, some read on), a single message that occurs twice (some merge, some
 * replace), or a number that is too long or too large. Unknown fields are fine.
 */
export function findWireFault(
  type: DescMessage,
  bytes: Uint8Array,
  from = 0,
  to = bytes.length,
): WireFault | undefined {
  const rules = rulesOf(type)
  let met: readonly number[] = []
  const scan = new FieldScan(bytes, from, to)
  while (scan.next()) {
    const rule = rules.get(scan.number)
    if (!rule) continue
    const what = fieldFault(rule, bytes, scan)
    if (what) return { field: rule.name, what }
    if (!rule.inner) continue
    if (!rule.repeated) {
      if (met.includes(scan.number)) return { field: rule.name, what: 'occurs twice' }
      met = [...met, scan.number]
    }
    const fault = findWireFault(rule.inner, bytes, scan.start, scan.end)
    if (!fault) continue
    const { field } = fault
    return { ...fault, field: field === undefined ? rule.name : `${rule.name}.${field}` }
  }
  if (!scan.isBroken) return undefined
  const field = rules.get(scan.number)?.name
  if (field === undefined) return { field, what: 'is not a protobuf message' }
  return {
    field,
    what: `is incomplete, or its length has more than ${MAX_SHORT_VARINT_BYTES} bytes`,
  }
}

/** What is wrong with one field, without the fields of the message inside it. */
export function fieldFault(
  { wireTypes, number }: FieldRule,
  bytes: Uint8Array,
  { wireType, start, end, value }: FieldScan,
): string | undefined {
  if (!wireTypes.includes(wireType)) return 'has a wrong wire type'
  if (!number) return undefined
  if (wireType === WIRE_VARINT) return numberFault(number, bytes, start, end, value)
  for (let at = start; at < end; ) {
    const element = readVarint(bytes, at)
    if (!element || element.end > end) return 'is not a list of numbers'
    const fault = numberFault(number, bytes, at, element.end, element.value)
    if (fault) return fault
    at = element.end
  }
  return undefined
}

/** Decoders keep the lower 32 bits of a larger number, or get out of step. */
const MAX_SHORT = 0xffff_ffff
/** Published clients fail at a larger number of 64 bits: they cannot represent it. */
const MAX_LONG = Number.MAX_SAFE_INTEGER

/** What is wrong with a number, which is bytes[start, end). */
function numberFault(
  { isShort, isSigned }: NumberRule,
  bytes: Uint8Array,
  start: number,
  end: number,
  value: number,
): string | undefined {
  if (!isShort) return value > MAX_LONG ? 'is above 2^53 - 1' : undefined
  if (isSigned && isNegative(bytes, start, end)) return undefined
  if (value > MAX_SHORT) return 'is above 2^32 - 1'
  return end - start > MAX_SHORT_VARINT_BYTES
    ? `is a varint of more than ${MAX_SHORT_VARINT_BYTES} bytes`
    : undefined
}

/** The last bytes of a negative number of 32 bits: bits 28 to 34 with the sign in bit 31, and only ones above. */
const NEGATIVE_END = [0xff, 0xff, 0xff, 0xff, 0x01] as const
const SIGN_BITS = 0x78

/** Whether a varint is a negative number of 32 bits in its one form, which has ten bytes. */
function isNegative(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== MAX_VARINT_BYTES) return false
  const middle = end - NEGATIVE_END.length
  if ((bytes[middle - 1]! & SIGN_BITS) !== SIGN_BITS) return false
  return NEGATIVE_END.every((byte, i) => bytes[middle + i] === byte)
}

/** The rules of the fields of a type, by number. */
export function rulesOf(type: DescMessage): ReadonlyMap<number, FieldRule> {
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
const LONG: ReadonlySet<ScalarType | undefined> = new Set([ScalarType.UINT64, ScalarType.INT64])

// Our schema has integers, texts, bytes, enums and messages; lists of numbers come packed or not.
function ruleOf(field: DescField): FieldRule {
  const isBytes = field.message !== undefined || LENGTH_DELIMITED.has(field.scalar)
  const repeated = field.fieldKind === 'list'
  const isSigned = field.enum !== undefined || field.scalar === ScalarType.INT32
  return {
    name: field.localName,
    wireTypes: isBytes ? [WIRE_BYTES] : [WIRE_VARINT, ...(repeated ? [WIRE_BYTES] : [])],
    inner: field.message,
    number: isBytes ? undefined : { isShort: !LONG.has(field.scalar), isSigned },
    repeated,
  }
}
