// Encodes objects as protobuf from small tables. The generated codec of the server does the same with the full
// schema, which would make the client of a browser four times as large; a test compares both.
import { concatBytes } from '../kernel/protocol/codec/concat-bytes.ts'
import { bytesField, numberField, varint } from '../kernel/protocol/codec/wire-write.ts'

/** How one field is written. `optional` fields are also written when they are 0 or empty. */
export type FieldKind = 'number' | 'optional' | 'bytes' | 'text' | 'choice' | 'packed' | 'texts'
/** The fields of a message in the order in which they are written, each with its number. */
export type Fields = Readonly<Record<string, readonly [number: number, FieldKind | Nested]>>
type Nested = { readonly fields: Fields; readonly isList?: boolean }
export type Values = Readonly<Record<string, unknown>>

const utf8 = (text: unknown) => new TextEncoder().encode(String(text))

/** The bytes of a message. Values that are undefined are left out. */
export function encode(fields: Fields, values: Values): Uint8Array {
  const parts = Object.entries(fields).flatMap(([name, [number, kind]]) =>
    fieldParts(number, kind, values[name]),
  )
  return concatBytes(...parts)
}

function fieldParts(number: number, kind: FieldKind | Nested, value: unknown): Uint8Array[] {
  if (typeof kind === 'object') return nestedParts(number, kind, value)
  // The published library writes empty lists of numbers; the same data has the same hash.
  if (kind === 'packed') return [bytesField(number, concatBytes(...list(value).map(packed)))]
  if (kind === 'texts') return list(value).map((text) => bytesField(number, utf8(text)))
  if (value === undefined) return []
  if (kind === 'number') return value === 0 ? [] : [numberField(number, value as number)]
  if (kind === 'optional') return [numberField(number, value as number)]
  const bytes = kind === 'bytes' ? (value as Uint8Array) : utf8(value)
  return bytes.length === 0 && kind !== 'choice' ? [] : [bytesField(number, bytes)]
}

function nestedParts(number: number, { fields, isList }: Nested, value: unknown): Uint8Array[] {
  const values = isList ? list(value) : value === undefined ? [] : [value]
  return values.map((one) => bytesField(number, encode(fields, one as Values)))
}

const list = (value: unknown): readonly unknown[] => (value ?? []) as readonly unknown[]
const packed = (value: unknown) => varint(value as number)
