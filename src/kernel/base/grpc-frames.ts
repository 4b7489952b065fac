import { Rejection } from '../protocol/rejection.ts'

// The messages of a call of gRPC on the wire: each has a head of a flag and a length.

/** A flag, then the length of the message. */
export const HEAD_BYTES = 5
const COMPRESSED = 1

export type Received = { readonly isCompressed: boolean; readonly bytes: Buffer }

const MIN_KEPT_BYTES = 256

/** Puts the messages of a request or of an answer together, however they arrive. */
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
    const text = `a message of ${length} bytes; at most ${this.#maxBytes} are taken`
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
