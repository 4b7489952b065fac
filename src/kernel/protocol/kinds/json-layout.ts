import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { toBase64, toHex } from '../codec/bytes.ts'
import { WIRE_BYTES, WIRE_VARINT } from '../codec/wire-scan.ts'
import { type JsonPart, jsonPart } from '../json/json-bytes.ts'

export type JsonObject = { readonly [key: string]: unknown }

/**
 * The full protobuf name of an enum's number. A number without a name can only be in a message that
 * did not pass the checks; it gives UNRECOGNIZED_ and the number.
 */
export function namesOf(schema: DescEnum): (number: number) => string {
  const names = new Map(schema.values.map((value) => [value.number, value.name]))
  return (number) => names.get(number) ?? `UNRECOGNIZED_${number}`
}

type BytesText = 'hex' | 'base64'

export type JsonField = {
  readonly number: number
  readonly name: string
  /** The name of the oneof that the field belongs to. */
  readonly oneof: string | undefined
  /** Whether it is left out when it was not sent. */
  readonly isOptional: boolean
  readonly isList: boolean
  readonly shows: 'integer' | 'name' | 'string' | BytesText | 'message'
  /** The largest integer that decoders take as it is. */
  readonly max: number
  /** The quoted names of an enum. */
  readonly names: readonly (JsonPart | undefined)[]
  readonly nameOf: (number: number) => string
  readonly inner: JsonLayout | undefined
  /** Its key, as the first of the object and after others. */
  readonly keys: readonly [JsonPart, JsonPart]
}

/**
 * How a message of the wire is written as JSON: its fields in the order of their keys. Everything else is known from the wire's
 * schema. From it JSON is written of decoded messages (`jsonByLayout`) and of their bytes (wire-json.ts).
 */
export type JsonLayout = {
  readonly fields: readonly JsonField[]
  /** Of the field with each number: the wire type that is read without decoding, -1 without such a field. */
  readonly wireTypes: Int8Array
  readonly isList: Uint8Array
}

type Shapes = Readonly<Record<string, JsonLayout | BytesText>>

/** `shapes`: of messages and byte strings among the fields. */
export function jsonLayout(
  type: DescMessage,
  keys: readonly string[],
  shapes: Shapes = {},
): JsonLayout {
  const fields = keys.map((key) => fieldOf(type.field[key]!, shapes[key]))
  const size = Math.max(...fields.map(({ number }) => number)) + 1
  const wireTypes = new Int8Array(size).fill(-1)
  const isList = new Uint8Array(size)
  for (const { number, shows, isList: listed } of fields) {
    const isVarint = !listed && (shows === 'integer' || shows === 'name')
    wireTypes[number] = isVarint ? WIRE_VARINT : WIRE_BYTES
    isList[number] = listed && shows !== 'integer' ? 1 : 0
  }
  return { fields, wireTypes, isList }
}

function fieldOf(field: DescField, shape: JsonLayout | BytesText | undefined): JsonField {
  const { localName: name, oneof } = field
  const inner = typeof shape === 'object' ? shape : undefined
  const isEnum = field.enum !== undefined
  return {
    number: field.number,
    name,
    oneof: oneof?.localName,
    isOptional: oneof !== undefined || field.proto.proto3Optional || field.fieldKind === 'message',
    isList: field.fieldKind === 'list',
    shows: isEnum ? 'name' : inner ? 'message' : scalarShown(field, shape as BytesText),
    max: field.scalar === ScalarType.UINT64 ? Number.MAX_SAFE_INTEGER : 2 ** 32 - 1,
    names: field.enum ? quotedNames(field.enum) : [],
    nameOf: isEnum ? namesOf(field.enum) : String,
    inner,
    keys: [jsonPart(`"${name}":`), jsonPart(`,"${name}":`)],
  }
}

function scalarShown({ scalar, name }: DescField, bytes: BytesText | undefined) {
  if (scalar === ScalarType.STRING) return 'string'
  if (scalar === ScalarType.BYTES && bytes) return bytes
  if (scalar === ScalarType.UINT32 || scalar === ScalarType.UINT64) return 'integer'
  throw new TypeError(`a layout does not say how ${name} is written`)
}

/** The quoted names of an enum, by their numbers, each between two texts. */
export function quotedNames(
  { values }: DescEnum,
  nameOf = (_: number, name: string) => name,
  [before, after]: readonly [string, string] = ['', ''],
): readonly (JsonPart | undefined)[] {
  const names: (JsonPart | undefined)[] = []
  for (const { number, name } of values) {
    names[number] = jsonPart(`${before}"${nameOf(number, name)}"${after}`)
  }
  return names
}

/** The JSON of a decoded message. */
export function jsonByLayout({ fields }: JsonLayout, message: object): JsonObject {
  const json: Record<string, unknown> = {}
  for (const field of fields) {
    const value = memberOf(field, message as Record<string, unknown>)
    if (value === undefined) continue
    json[field.name] = Array.isArray(value)
      ? value.map((one) => shown(field, one))
      : shown(field, value)
  }
  return json
}

function memberOf({ name, oneof }: JsonField, message: Record<string, unknown>): unknown {
  if (oneof === undefined) return message[name]
  const member = message[oneof] as { case?: string; value?: unknown }
  return member.case === name ? member.value : undefined
}

function shown({ shows, nameOf, inner }: JsonField, value: unknown): unknown {
  switch (shows) {
    case 'integer':
      return Number(value)
    case 'name':
      return nameOf(value as number)
    case 'hex':
      return toHex(value as Uint8Array)
    case 'base64':
      return toBase64(value as Uint8Array)
    case 'message':
      return jsonByLayout(inner!, value as object)
    default:
      return value
  }
}

/** What a kind whose bodies are written by a layout says of it. */
export const writtenBy = (layout: JsonLayout) => ({
  layout,
  json: (body: object) => jsonByLayout(layout, body),
})
