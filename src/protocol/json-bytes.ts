// JSON as UTF-8 bytes, written in memory that is used again. Written by hand, because a page of events has
// a thousand messages of 700 bytes: texts of their parts would cost several times as much.

/** A page of a thousand usual events. */
const START_BYTES = 1024 * 1024
const DIGITS_OF_LOW_PART = 1e9
const QUOTE = 0x22

const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

const WORD_BYTES = 4

/** A part that is always the same, such as the key of a field, as words: four bytes are written at a time. */
export type JsonPart = { readonly words: Uint32Array; readonly length: number }

export function jsonPart(text: string): JsonPart {
  const bytes = Buffer.from(text)
  const words = new Uint32Array(Math.ceil(bytes.length / WORD_BYTES))
  const view = new DataView(words.buffer)
  for (const [i, byte] of bytes.entries()) view.setUint8(i, byte)
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(i * WORD_BYTES, true)
  return { words, length: bytes.length }
}

const HEX_HIGH = ascii(Array.from({ length: 256 }, (_, i) => (i >> 4).toString(16)).join(''))
const HEX_LOW = ascii(Array.from({ length: 256 }, (_, i) => (i & 15).toString(16)).join(''))
const BASE64 = ascii('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')

/** What JSON writes for the characters that cannot stand for themselves; undefined for all others. */
const ESCAPES = Array.from({ length: 256 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  return code < 0x80 && escaped.length > 1 ? ascii(escaped) : undefined
})
const IS_ESCAPED = Uint8Array.from(ESCAPES, (written) => (written ? 1 : 0))

/** A control character of one byte is written as six, such as \u0001. No other byte takes more. */
export const MAX_ESCAPED_BYTES = 6

export class JsonBytes {
  #bytes!: Uint8Array<ArrayBuffer>
  #buffer!: Buffer
  #view!: DataView
  length = 0

  constructor() {
    this.#use(new Uint8Array(START_BYTES))
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#buffer = Buffer.from(bytes.buffer)
    this.#view = new DataView(bytes.buffer)
  }

  /** Makes room. Everything below writes without asking for it, and past the end nothing is written. */
  reserve(count: number): void {
    const needed = this.length + count + WORD_BYTES
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(2 ** Math.ceil(Math.log2(needed)))
    larger.set(this.#bytes.subarray(0, this.length))
    this.#use(larger)
  }

  /** What was written, to be copied before the next is written. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  /** What was written, as a string with one character for each byte. */
  get text(): string {
    return this.#buffer.toString('latin1', 0, this.length)
  }

  /** Begins anew. Large memory is given up. */
  clear(): void {
    this.length = 0
    if (this.#bytes.length > START_BYTES) this.#use(new Uint8Array(START_BYTES))
  }

  part({ words, length }: JsonPart): void {
    const view = this.#view
    const start = this.length
    for (let i = 0; i < words.length; i++) view.setUint32(start + i * WORD_BYTES, words[i]!, true)
    this.length = start + length
  }

  /** A text with one character for each of its bytes, as it is. */
  oneByteText(text: string): void {
    this.reserve(text.length)
    this.length += this.#buffer.write(text, this.length, 'latin1')
  }

  /** An integer from 0 to 2^53 - 1. */
  integer(value: number): void {
    if (value < DIGITS_OF_LOW_PART) {
      this.#digits(value, digitsOf(value))
      return
    }
    const high = Math.floor(value / DIGITS_OF_LOW_PART)
    this.#digits(high, digitsOf(high))
    this.#digits(value - high * DIGITS_OF_LOW_PART, 9)
  }

  #digits(value: number, count: number): void {
    const bytes = this.#bytes
    let rest = value | 0
    for (let at = this.length + count - 1; at >= this.length; at--) {
      const next = (rest / 10) | 0
      bytes[at] = 48 + rest - next * 10
      rest = next
    }
    this.length += count
  }

  hex(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes
    let at = this.length
    for (let i = from; i < to; i++) {
      const byte = source[i]!
      bytes[at++] = HEX_HIGH[byte]!
      bytes[at++] = HEX_LOW[byte]!
    }
    this.length = at
  }

  base64(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes
    let at = this.length
    for (let i = from; i < to; i += 3) {
      const triple = (source[i]! << 16) | (i + 1 < to ? source[i + 1]! << 8 : 0)
      const three = triple | (i + 2 < to ? source[i + 2]! : 0)
      bytes[at++] = BASE64[three >> 18]!
      bytes[at++] = BASE64[(three >> 12) & 63]!
      bytes[at++] = BASE64[(three >> 6) & 63]!
      bytes[at++] = BASE64[three & 63]!
    }
    const missing = (3 - ((to - from) % 3)) % 3
    for (let i = 1; i <= missing; i++) bytes[at - i] = 0x3d
    this.length = at
  }

  /** A string in quotes, from its UTF-8. */
  string(source: Uint8Array, from: number, to: number): void {
    const bytes = this.#bytes
    let at = this.length
    bytes[at++] = QUOTE
    for (let i = from; i < to; i++) {
      const byte = source[i]!
      if (IS_ESCAPED[byte] === 0) bytes[at++] = byte
      else for (const one of ESCAPES[byte]!) bytes[at++] = one
    }
    bytes[at++] = QUOTE
    this.length = at
  }
}

function digitsOf(value: number): number {
  let count = 1
  for (let power = 10; value >= power; power *= 10) count++
  return count
}
