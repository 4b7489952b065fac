/** Length of the head of each message on the wire: a flag, then the length of the message. */
export const HEAD_BYTES = 5

/** A longer message is not copied behind its head. */
export const MAX_COPIED_BYTES = 16_384

/** A message with its head, in one or two pieces. */
export function framed(message: Uint8Array): readonly [Uint8Array, Uint8Array?] {
  if (message.length <= MAX_COPIED_BYTES) return [new Frames([message]).bytes]
  // 0: it is not compressed.
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(message.length, 1)
  return [head, message]
}

/**
 * Several messages of one stream, framed for a single write. A write costs the transport about 10 us
 * however little it holds.
 */
export class Frames {
  readonly bytes: Buffer

  constructor(messages: readonly Uint8Array[]) {
    const length = messages.reduce((sum, message) => sum + HEAD_BYTES + message.length, 0)
    this.bytes = Buffer.allocUnsafe(length)
    let at = 0
    for (const message of messages) {
      // 0: not compressed.
      this.bytes[at] = 0
      this.bytes.writeUInt32BE(message.length, at + 1)
      this.bytes.set(message, at + HEAD_BYTES)
      at += HEAD_BYTES + message.length
    }
  }
}

/** Frames of the messages that were framed last: subscribers get the same events one after the other, and share them. */
export class SharedFrames {
  #messages: readonly Uint8Array[] = []
  #frames: Frames | undefined

  of(messages: readonly Uint8Array[]): Frames {
    const isSame =
      messages.length === this.#messages.length &&
      messages.every((one, i) => one === this.#messages[i])
    if (this.#frames && isSame) return this.#frames
    this.#messages = messages
    this.#frames = new Frames(messages)
    return this.#frames
  }
}
