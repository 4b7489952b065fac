// Writes valid protobuf messages in encodings that no usual encoder produces: long varints, values beyond 32 bits, lists
// packed and unpacked, unknown and repeated fields, fields in another order or wire type.

import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import {
  fieldBytes,
  readVarint,
  scanFields,
  type WireField,
} from '../src/kernel/protocol/codec/wire-scan.ts'
import type { Random } from './random.ts'

const WIRE_VARINT = 0
const WIRE_BYTES = 2
const MAX_VARINT_BYTES = 11
const MAX_FIELD_NUMBER = 2 ** 29 - 1

/** The value in at least so many bytes: a varint may have bytes that add nothing. */
export function longVarint(value: bigint, length = 1): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  } while (rest > 0n || bytes.length < length)
  bytes.push(bytes.pop()! & 127)
  return bytes
}

/** Values that are added to a number: a reader of 32 bits, of 53 bits or of 64 bits loses or keeps them. */
const ADDED = [1n, 2n ** 31n, 2n ** 32n, 2n ** 35n, 2n ** 36n, 2n ** 42n, 2n ** 53n, 2n ** 63n]
/** -1 and the smallest number of 32 bits as int32 fields have them, -1 in 32 bits, and what is above 64 bits. */
const WHOLE = [
  2n ** 64n - 1n,
  2n ** 64n - 2n ** 31n,
  2n ** 32n - 1n,
  0n,
  1n,
  2n ** 64n,
  2n ** 70n - 1n,
]

export class WireMutations {
  readonly #random: Random
  /** Of a thousand places, how many are changed. */
  #rate = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** Another encoding of a message, which often says the same and is often refused. */
  of(type: DescMessage, bytes: Uint8Array): Uint8Array {
    this.#rate = this.#random.pick([20, 40, 60, 100])
    return Uint8Array.from(this.#message(type, bytes))
  }

  #happens(share = 1): boolean {
    return this.#random.int(1000) < this.#rate * share
  }

  #varint(value: bigint): number[] {
    return longVarint(value, this.#happens() ? 1 + this.#random.int(MAX_VARINT_BYTES) : 1)
  }

  #number(value: bigint): number[] {
    if (this.#happens()) return this.#varint(value + this.#random.pick(ADDED))
    if (this.#happens(0.5)) return this.#varint(this.#random.pick(WHOLE))
    return this.#varint(value)
  }

  #delimited(bytes: readonly number[]): number[] {
    const length = this.#happens(0.2) ? BigInt(this.#random.int(300)) : BigInt(bytes.length)
    return [...this.#varint(length), ...bytes]
  }

  #tag(number: number, wireType: number): number[] {
    return this.#varint(BigInt(number) * 8n + BigInt(wireType))
  }

  #message(type: DescMessage, bytes: Uint8Array): number[] {
    const known = new Map(type.fields.map((field) => [field.number, field]))
    let fields = (scanFields(bytes) ?? []).map((field) =>
      this.#field(known.get(field.number), bytes, field),
    )
    if (this.#happens()) fields.splice(this.#random.int(fields.length + 1), 0, this.#unknown())
    if (this.#happens()) fields.push(this.#random.pick(fields) ?? [])
    if (this.#happens()) fields = this.#random.shuffled(fields)
    if (this.#happens(0.5)) fields.splice(this.#random.int(fields.length + 1), 1)
    if (this.#happens(0.5)) fields.push(this.#ofNothing(this.#random.pick(type.fields)))
    return fields.flat()
  }

  /** A field that was not sent, with its default value. */
  #ofNothing({ number, message, scalar, fieldKind }: DescField): number[] {
    const isBytes = message || scalar === ScalarType.STRING || scalar === ScalarType.BYTES
    const isPacked = fieldKind === 'list' && this.#random.int(2) === 0
    if (isBytes || isPacked) return [...this.#tag(number, WIRE_BYTES), ...this.#delimited([])]
    return [...this.#tag(number, WIRE_VARINT), ...this.#number(0n)]
  }

  #field(field: DescField | undefined, bytes: Uint8Array, at: WireField): number[] {
    const tag = this.#tag(at.number, this.#happens(0.2) ? this.#random.int(8) : at.wireType)
    if (at.wireType === WIRE_VARINT) {
      return [...tag, ...this.#number(BigInt(readVarint(bytes, at.start)!.value))]
    }
    const inner = fieldBytes(bytes, at)
    if (field?.message) return [...tag, ...this.#delimited(this.#message(field.message, inner))]
    if (field?.fieldKind === 'list' && !isText(field)) return this.#list(at.number, inner)
    return [...tag, ...this.#delimited(this.#text(inner))]
  }

  #text(bytes: Uint8Array): number[] {
    const text = [...bytes]
    if (this.#happens()) text[this.#random.int(text.length)] = this.#random.int(256)
    if (this.#happens()) text.unshift(0xef, 0xbb, 0xbf)
    if (this.#happens()) text.splice(this.#random.int(text.length), 0, ...this.#random.pick(PIECES))
    return text
  }

  /** A packed list: packed, unpacked or in two pieces, sometimes with an element that does not end. */
  #list(number: number, packed: Uint8Array): number[] {
    const elements: number[][] = []
    for (let at = 0; at < packed.length; ) {
      const varint = readVarint(packed, at)
      if (!varint) break
      elements.push(this.#number(BigInt(varint.value)))
      at = varint.end
    }
    const pack = (part: number[][]) => {
      const bytes = part.flat()
      if (bytes.length > 0 && this.#happens()) bytes.push(bytes.pop()! | 128)
      return [...this.#tag(number, WIRE_BYTES), ...this.#delimited(bytes)]
    }
    if (!this.#happens(2)) return pack(elements)
    const cut = this.#random.int(elements.length + 1)
    const first = elements.slice(0, cut)
    const rest = pack(elements.slice(cut))
    if (this.#random.int(2) === 0) return [...pack(first), ...rest]
    return [...first.flatMap((one) => [...this.#tag(number, WIRE_VARINT), ...one]), ...rest]
  }

  #unknown(): number[] {
    const number = this.#random.pick([15, 16, 25, 99, 2047, 2048, MAX_FIELD_NUMBER])
    const wireType = this.#random.int(8)
    const tag = this.#tag(number, wireType)
    if (wireType === WIRE_VARINT) return [...tag, ...this.#number(5n)]
    if (wireType === WIRE_BYTES) return [...tag, ...this.#delimited([1, 2, 3])]
    const size = wireType === 1 ? 8 : wireType === 5 ? 4 : 0
    return [...tag, ...new Array<number>(size).fill(7)]
  }
}

const isText = ({ scalar }: DescField) =>
  scalar === ScalarType.STRING || scalar === ScalarType.BYTES

/** Whole and broken UTF-8: NUL, a character of four bytes, a lone surrogate, an overlong NUL, a pair in six bytes. */
const PIECES = [
  [0],
  [0xf0, 0x9f, 0xa6, 0x9c],
  [0xed, 0xa0, 0x80],
  [0xc0, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb0, 0x80],
  [0xf4, 0x8f, 0xbf, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
]
