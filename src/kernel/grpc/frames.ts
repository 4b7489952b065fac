// Writes the messages of a call.

import type { ServerHttp2Stream } from 'node:http2'
import { HEAD_BYTES } from '../base/grpc-frames.ts'

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
