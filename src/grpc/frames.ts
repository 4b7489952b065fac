// The messages of a call on the wire: each has a head of a flag and a length.

import type { ServerHttp2Stream } from 'node:http2'
import { Rejection } from '../protocol/rejection.ts'

/** A flag, then the length of the message. */
export const HEAD_BYTES = 5
const COMPRESSED = 1
/** Of the block of trailers that ends an answer of gRPC-web. */
const TRAILERS = 0x80

/** A longer message is not copied behind its head. */
const MAX_COPIED_BYTES = 16_384

/** Several messages, framed for a single write. A write costs about 10 us however little it holds. */
function framesOf(messages: readonly Uint8Array[], flag = 0): Buffer {
  const length = messages.reduce((sum, message) => sum + HEAD_BYTES + message.length, 0)
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const message of messages) {
    bytes[at] = flag
    bytes.writeUInt32BE(message.length, at + 1)
    bytes.set(message, at + HEAD_BYTES)
    at += HEAD_BYTES + message.length
  }
  return bytes
}

export const trailerFrame = (text: string): Buffer => framesOf([Buffer.from(text)], TRAILERS)

/** Frames of the messages that were framed last: subscribers get the same events one after the other, and share them. */
export class SharedFrames {
  #messages: readonly Uint8Array[] = []
  #frames: Buffer | undefined

  of(messages: readonly Uint8Array[]): Buffer {
    const isSame =
      messages.length === this.#messages.length &&
      messages.every((one, i) => one === this.#messages[i])
    if (this.#frames && isSame) return this.#frames
    this.#messages = messages
    this.#frames = framesOf(messages)
    return this.#frames
  }
}

/** Writes messages at once. Returns how many bytes wait until `onWritten` is called. */
export function writeMessages(
  stream: ServerHttp2Stream,
  messages: readonly Uint8Array[],
  onWritten: (error?: Error | null) => void,
  shared?: SharedFrames,
): number {
  const [first] = messages
  if (messages.length > 1 || first!.length <= MAX_COPIED_BYTES) {
    const frames = shared ? shared.of(messages) : framesOf(messages)
    stream.write(frames, onWritten)
    return frames.length
  }
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(first!.length, 1)
  stream.cork()
  stream.write(head)
  stream.write(first!, onWritten)
  stream.uncork()
  return HEAD_BYTES + first!.length
}

export type Received = { readonly isCompressed: boolean; readonly bytes: Buffer }

const MIN_KEPT_BYTES = 256

/** Puts the messages of a request together, however they arrive. */
export class MessageReader {
  readonly #maxBytes: number
  /** The beginning of a message, copied: a slice would keep the whole chunk in memory. */
  #kept: Buffer | undefined
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Memory of a message that has arrived in part. */
  get keptBytes(): number {
    return this.#kept?.length ?? 0
  }

  /** The messages that are complete with this chunk. Throws a Rejection when one is too long. */
  push(chunk: Buffer): Received[] {
    const bytes = this.#kept ? this.#append(chunk) : chunk
    const messages: Received[] = []
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + this.#checkedLength(bytes.readUInt32BE(at + 1))
      if (end > bytes.length) break
      const isCompressed = (bytes[at]! & COMPRESSED) !== 0
      messages.push({ isCompressed, bytes: bytes.subarray(at + HEAD_BYTES, end) })
      at = end
    }
    if (at === 0 && this.#kept) return messages
    this.#kept = undefined
    this.#length = 0
    if (at < bytes.length) this.#append(bytes.subarray(at))
    return messages
  }

  #checkedLength(length: number): number {
    if (length <= this.#maxBytes) return length
    const text = `the request has ${length} bytes; at most ${this.#maxBytes} are taken`
    throw new Rejection('bad_request.too_large', text)
  }

  /** Returns all that is kept. */
  #append(chunk: Buffer): Buffer {
    const length = this.#length + chunk.length
    if (!this.#kept || this.#kept.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(MIN_KEPT_BYTES, length, 2 * this.#length))
      this.#kept?.copy(larger, 0, 0, this.#length)
      this.#kept = larger
    }
    chunk.copy(this.#kept, this.#length)
    this.#length = length
    return this.#kept.subarray(0, length)
  }
}
