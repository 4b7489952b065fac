// Writes the JSON of messages from their bytes, without decoding them into objects first. Only the encoding that common
// encoders produce is supported. For any other the functions return false, and the caller decodes the message.

import { WIRE_BYTES } from '../codec/wire-scan.ts'
import type { JsonField, JsonLayout } from '../kinds/json-layout.ts'
import { type JsonBytes, jsonPart, type SourceBytes } from './json-bytes.ts'

/** Where the fields of a message lie, by their numbers; -1: it was not sent. Of lists the first element. */
export class FoundFields {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly integers: Float64Array
  readonly #wireTypes: Int8Array
  readonly #isList: Uint8Array

  constructor({ wireTypes, isList }: Pick<JsonLayout, 'wireTypes' | 'isList'>) {
    this.#wireTypes = wireTypes
    this.#isList = isList
    this.starts = new Int32Array(wireTypes.length)
    this.ends = new Int32Array(wireTypes.length)
    this.integers = new Float64Array(wireTypes.length)
  }

  /** Finds the fields of a message. Returns false for fields that are unknown, repeated or of another wire type. */
  find(bytes: Uint8Array, from: number, to: number): boolean {
    const { starts, ends, integers } = this
    const wireTypes = this.#wireTypes
    // Not with `fill`, which costs as much as the rest for so few.
    for (let i = 0; i < starts.length; i++) starts[i] = -1
    let at = from
    while (at < to) {
      const tag = bytes[at]!
      const number = tag >> 3
      const wireType = tag & 7
      if (tag >= 0x80 || number >= wireTypes.length || wireTypes[number] !== wireType) return false
      let start = at + 2
      let value = bytes[at + 1]!
      if (!(value < 0x80)) {
        value = varintAt(bytes, at + 1)
        if (Number.isNaN(value)) return false
        start = varintEnd
      }
      at = wireType === WIRE_BYTES ? start + value : start
      if (at > to) return false
      if (starts[number] !== -1) {
        if (this.#isList[number] === 0) return false
        continue
      }
      starts[number] = start
      ends[number] = at
      integers[number] = value
    }
    return true
  }
}

/** Where the varint ended that was read last. */
let varintEnd = 0

/** The varint at a position; NaN when it is above 2^53 - 1 or does not end. */
function varintAt(bytes: Uint8Array, start: number): number {
  let at = start
  let value = bytes[at++]!
  if (value >= 0x80) {
    value -= 0x80
    for (let unit = 128; ; unit *= 128) {
      const byte = bytes[at++]!
      value += (byte & 0x7f) * unit
      if (byte < 0x80) break
      if (!(value <= Number.MAX_SAFE_INTEGER) || at - start > 8) return Number.NaN
    }
  }
  varintEnd = at
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN
}

const COMMA = jsonPart(',')
const QUOTE = jsonPart('"')
const QUOTED_HEX = jsonPart('"0x')
const OPEN = jsonPart('{')
const CLOSE = jsonPart('}')
const OPEN_LIST = jsonPart('[')
const CLOSE_LIST = jsonPart(']')
const EMPTY_LIST = jsonPart('[]')

/** Writes messages of one layout. */
export class WireJson {
  readonly #fields: readonly JsonField[]
  readonly #found: FoundFields
  readonly #inner = new Map<JsonField, WireJson>()

  constructor(layout: JsonLayout) {
    this.#fields = layout.fields
    this.#found = new FoundFields(layout)
    for (const field of layout.fields) {
      if (field.inner) this.#inner.set(field, new WireJson(field.inner))
    }
  }

  /** Writes a message as JSON. Returns false when it cannot; the caller then discards what was written. */
  write(out: JsonBytes, source: SourceBytes, from: number, to: number): boolean {
    const found = this.#found
    if (!found.find(source.bytes, from, to)) return false
    out.part(OPEN)
    let later: 0 | 1 = 0
    let oneof: string | undefined
    for (const field of this.#fields) {
      const isSent = found.starts[field.number] !== -1
      if (!isSent && field.isOptional) continue
      // Decoders take the last member of a oneof.
      if (field.oneof !== undefined && field.oneof === oneof) return false
      oneof = field.oneof ?? oneof
      out.part(field.keys[later])
      later = 1
      const isWritten = field.isList
        ? this.#list(out, field, source, to)
        : this.#value(out, field, source, isSent)
      if (!isWritten) return false
    }
    out.part(CLOSE)
    return true
  }

  #value(out: JsonBytes, field: JsonField, source: SourceBytes, isSent: boolean): boolean {
    const { number } = field
    const found = this.#found
    if (field.shows === 'integer' || field.shows === 'name') {
      return writeNumber(out, field, isSent ? found.integers[number]! : 0)
    }
    const start = isSent ? found.starts[number]! : 0
    return this.#element(out, field, source, start, isSent ? found.ends[number]! : 0)
  }

  #list(out: JsonBytes, field: JsonField, source: SourceBytes, to: number): boolean {
    const start = this.#found.starts[field.number]!
    if (start === -1) {
      out.part(EMPTY_LIST)
      return true
    }
    out.part(OPEN_LIST)
    const isWritten =
      field.shows === 'integer'
        ? writeIntegers(out, field, source.bytes, start, this.#found.ends[field.number]!)
        : this.#elements(out, field, source, to)
    out.part(CLOSE_LIST)
    return isWritten
  }

  /** The elements of a list follow each other with nothing between them. */
  #elements(out: JsonBytes, field: JsonField, source: SourceBytes, to: number): boolean {
    const { bytes } = source
    let start = this.#found.starts[field.number]!
    let end = this.#found.ends[field.number]!
    for (;;) {
      if (!this.#element(out, field, source, start, end)) return false
      if (end >= to) return true
      if (bytes[end] !== field.number * 8 + WIRE_BYTES) break
      const length = varintAt(bytes, end + 1)
      start = varintEnd
      end = start + length
      out.part(COMMA)
    }
    return !hasField(bytes, end, to, field.number)
  }

  #element(
    out: JsonBytes,
    field: JsonField,
    source: SourceBytes,
    start: number,
    end: number,
  ): boolean {
    switch (field.shows) {
      case 'string':
        out.string(source, start, end)
        return true
      case 'hex':
        if (start === end) out.string(source, start, end)
        else {
          out.part(QUOTED_HEX)
          out.hex(source.bytes, start, end)
          out.part(QUOTE)
        }
        return true
      case 'base64':
        out.part(QUOTE)
        out.base64(source, start, end)
        out.part(QUOTE)
        return true
      default:
        return this.#inner.get(field)!.write(out, source, start, end)
    }
  }
}

function writeNumber(out: JsonBytes, field: JsonField, value: number): boolean {
  if (field.shows === 'name') {
    const name = field.names[value]
    if (!name) return false
    out.part(name)
    return true
  }
  if (value > field.max) return false
  out.integer(value)
  return true
}

/** The integers of a packed list. */
function writeIntegers(
  out: JsonBytes,
  { max }: JsonField,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  for (let at = start; at < end; at = varintEnd) {
    const value = varintAt(bytes, at)
    if (!(value <= max)) return false
    if (at > start) out.part(COMMA)
    out.integer(value)
  }
  return end === start || varintEnd === end
}

/** Whether a field with this number is among those from here on, which `FoundFields` has found to be whole. */
function hasField(bytes: Uint8Array, from: number, to: number, number: number): boolean {
  for (let at = from; at < to; ) {
    const tag = bytes[at]!
    if (tag >> 3 === number) return true
    const value = varintAt(bytes, at + 1)
    at = (tag & 7) === WIRE_BYTES ? varintEnd + value : varintEnd
  }
  return false
}
