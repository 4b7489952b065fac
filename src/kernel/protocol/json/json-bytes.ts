// JSON as UTF-8 bytes, written in memory that is used again. Written by hand, because a page of events has
// a thousand messages of 700 bytes: texts of their parts would cost several times as much.

/** A page of a thousand usual events. */
const START_BYTES = 1024 * 1024
const DIGITS_OF_LOW_PART = 1e9
const ZERO = 0x30
const QUOTE = 0x22
/** `=`, with which base64 becomes as long as a multiple of three bytes. */
const PADDING = 0x3d

/** Bytes that JSON is written from. A view reads four of them at a time. */
export type SourceBytes = { readonly bytes: Uint8Array; readonly view: DataView }

export const sourceBytes = (bytes: Uint8Array): SourceBytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
})

const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

const WORD_BYTES = 8

/**
 * A part that is always the same, such as the key of a field. Eight bytes of it are written at a time, as one 64-bit float.
 * Only a NaN could change its bytes when it is copied, and no UTF-8 text has the bytes of a NaN. An array of numbers is read
 * faster than a typed array.
 */
export type JsonPart = { readonly words: readonly number[]; readonly length: number }

export function jsonPart(text: string): JsonPart {
  const bytes = Buffer.from(text)
  const whole = new Uint8Array(Math.ceil(bytes.length / WORD_BYTES) * WORD_BYTES)
  whole.set(bytes)
  const view = new DataView(whole.buffer)
  const words: number[] = []
  for (let at = 0; at < bytes.length; at += WORD_BYTES) words.push(view.getFloat64(at, true))
  return { words, length: bytes.length }
}

/** Two characters as a 16-bit number, with the first one in its low byte. */
const pair = (first: number, second: number) => first | (second << 8)

/** The digits of each number below a hundred. */
const DIGIT_PAIRS = Uint16Array.from({ length: 100 }, (_, i) =>
  pair(ZERO + Math.floor(i / 10), ZERO + (i % 10)),
)

const HEX_DIGITS = ascii('0123456789abcdef')
const BASE64 = ascii('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
/** The digits of each byte. */
const HEX = Uint16Array.from({ length: 256 }, (_, i) =>
  pair(HEX_DIGITS[i >> 4]!, HEX_DIGITS[i & 15]!),
)
/** The characters of each twelve bits. */
const BASE64_PAIRS = Uint16Array.from({ length: 4096 }, (_, i) =>
  pair(BASE64[i >> 6]!, BASE64[i & 63]!),
)

/** What JSON writes for the characters that cannot stand for themselves; undefined for all others. */
const ESCAPES = Array.from({ length: 256 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  return code < 0x80 && escaped.length > 1 ? ascii(escaped) : undefined
})
const IS_ESCAPED = Uint8Array.from(ESCAPES, (written) => (written ? 1 : 0))

/** A control character of one byte is written as six, such as \u0001. No other byte takes more. */
const MAX_ESCAPED_BYTES = 6
/** The most that a byte of an encoded message becomes: an empty field of two bytes has its key and its marks. */
const MAX_BYTES_OF_ENCODED = MAX_ESCAPED_BYTES + 10
/** Keys and names that are written of any message, hash, signature and signer. */
const MAX_OTHER_BYTES = 2_048

/** The most that the JSON of an encoded message of this length takes, with all that belongs to it. */
export const maxJsonBytes = (length: number): number =>
  MAX_BYTES_OF_ENCODED * length + MAX_OTHER_BYTES

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

  /** Makes room. Everything below writes without asking for it, and never past the end. */
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
    for (let i = 0; i < words.length; i++) view.setFloat64(start + i * WORD_BYTES, words[i]!, true)
    this.length = start + length
  }

  /** A text with one character for each of its bytes, as it is. */
  latin1(text: string): void {
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
    const view = this.#view
    const start = this.length
    let rest = value | 0
    let at = start + count - 2
    for (; at >= start; at -= 2) {
      const next = (rest / 100) | 0
      view.setUint16(at, DIGIT_PAIRS[rest - next * 100]!, true)
      rest = next
    }
    if (at === start - 1) view.setUint8(start, ZERO + rest)
    this.length = start + count
  }

  hex(source: Uint8Array, from: number, to: number): void {
    const view = this.#view
    let at = this.length
    let i = from
    for (; i < to - 1; i += 2, at += 4) {
      view.setUint32(at, HEX[source[i]!]! | (HEX[source[i + 1]!]! << 16), true)
    }
    if (i < to) view.setUint16(at, HEX[source[i]!]!, true)
    this.length += 2 * (to - from)
  }

  base64({ bytes, view: source }: SourceBytes, from: number, to: number): void {
    const view = this.#view
    let at = this.length
    let i = from
    for (; i <= to - 4; i += 3, at += 4) setBase64(view, at, source.getUint32(i) >>> 8)
    const rest = (to - i) % 3
    if (i < to - rest) {
      setBase64(view, at, (bytes[i]! << 16) | (bytes[i + 1]! << 8) | bytes[i + 2]!)
      at += 4
    }
    this.length = at
    if (rest > 0) this.#lastOfBase64(bytes[to - rest]!, rest === 2 ? bytes[to - 1] : undefined)
  }

  #lastOfBase64(first: number, second: number | undefined): void {
    const bits = (first << 16) | ((second ?? 0) << 8)
    const end = second === undefined ? PADDING : BASE64[(bits >> 6) & 63]!
    this.#view.setUint16(this.length, BASE64_PAIRS[bits >> 12]!, true)
    this.#view.setUint16(this.length + 2, pair(end, PADDING), true)
    this.length += 4
  }

  /** A string in quotes, from its UTF-8. Four bytes are copied at a time while none of them is escaped. */
  string({ bytes: source, view: words }: SourceBytes, from: number, to: number): void {
    const bytes = this.#bytes
    const view = this.#view
    let at = this.length
    bytes[at++] = QUOTE
    for (let i = from; i < to; ) {
      if (i <= to - 4) {
        const word = words.getInt32(i, true)
        if (!hasEscaped(word)) {
          view.setInt32(at, word, true)
          i += 4
          at += 4
          continue
        }
      }
      const byte = source[i++]!
      if (IS_ESCAPED[byte] === 0) bytes[at++] = byte
      else for (const one of ESCAPES[byte]!) bytes[at++] = one
    }
    bytes[at++] = QUOTE
    this.length = at
  }
}

/** Writes the four characters of 24 bits. */
function setBase64(view: DataView, at: number, bits: number): void {
  view.setUint32(at, BASE64_PAIRS[bits >> 12]! | (BASE64_PAIRS[bits & 4095]! << 16), true)
}

/** Whether JSON escapes any of the four bytes of a word: those below a space, quotes and backslashes. */
function hasEscaped(word: number): boolean {
  const belowSpace = word - 0x20202020
  const isQuote = (word ^ 0x22222222) - 0x01010101
  const isBackslash = (word ^ 0x5c5c5c5c) - 0x01010101
  // The subtractions set the highest bit of such a byte. Bytes whose highest bit was set before are not escaped.
  return ((belowSpace | isQuote | isBackslash) & ~word & 0x80808080) !== 0
}

/** Of an integer below 10^9. */
function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1e3 ? 3 : 4
  if (value < 1e6) return value < 1e5 ? 5 : 6
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9
}
