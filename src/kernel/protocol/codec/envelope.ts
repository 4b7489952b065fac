// Messages as bytes, in the form in which they were received: their data is never encoded again.

import { MESSAGE_FORMS, type SignedMessage } from '../message.ts'

type Envelope = Omit<SignedMessage, 'data' | 'fid'>

/** The serialised Message that `decodeMessage` reads back as the same message, form included. */
export function encodeEnvelope(message: Envelope): Uint8Array {
  const writer = new Writer(envelopeSize(message))
  writeEnvelope(writer, message)
  return writer.bytes
}

/** A SubmitBulkMessagesRequest of these messages; `decodeBulk` and `decodeList` read it. */
export function encodeList(messages: readonly Envelope[]): Uint8Array {
  const sizes = messages.map(envelopeSize)
  const writer = new Writer(sizes.reduce((sum, size) => sum + fieldSize(size), 0))
  for (const [i, message] of messages.entries()) {
    writer.fieldOf(1, sizes[i]!)
    writeEnvelope(writer, message)
  }
  return writer.bytes
}

const SCHEMES_SIZE = 4

function envelopeSize(message: Envelope): number {
  const { form, dataBytes, hash, signature, signer } = message
  const copies = form === MESSAGE_FORMS.both ? 2 : 1
  const fixed = [hash, signature, signer].reduce((sum, bytes) => sum + fieldSize(bytes.length), 0)
  return fixed + SCHEMES_SIZE + copies * fieldSize(dataBytes.length)
}

function writeEnvelope(writer: Writer, message: Envelope): void {
  const { form, dataBytes } = message
  if (form !== MESSAGE_FORMS.dataBytes) writer.bytesField(1, dataBytes)
  writer.bytesField(2, message.hash)
  writer.numberField(3, message.hashScheme)
  writer.bytesField(4, message.signature)
  writer.numberField(5, message.signatureScheme)
  writer.bytesField(6, message.signer)
  if (form !== MESSAGE_FORMS.data) writer.bytesField(7, dataBytes)
}

/** Bytes of a length-delimited field whose number is below 16. */
function fieldSize(length: number): number {
  let size = 2 + length
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

/** Writes fields into a buffer of exactly the needed size. */
class Writer {
  readonly bytes: Uint8Array
  #at = 0

  constructor(size: number) {
    this.bytes = new Uint8Array(size)
  }

  /** The tag and length of a length-delimited field. */
  fieldOf(number: number, length: number): void {
    this.bytes[this.#at++] = number * 8 + 2
    let rest = length
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes[this.#at++] = (rest % 128) + 128
    this.bytes[this.#at++] = rest
  }

  bytesField(number: number, bytes: Uint8Array): void {
    this.fieldOf(number, bytes.length)
    this.bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A number below 128. */
  numberField(number: number, value: number): void {
    this.bytes[this.#at++] = number * 8
    this.bytes[this.#at++] = value
  }
}
