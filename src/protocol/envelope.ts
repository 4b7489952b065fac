// A message's bytes as they came: the same fields in the same form, its data never re-encoded.

import { concatBytes } from './bytes.ts'
import { MESSAGE_FORMS, type SignedMessage } from './message.ts'

type Envelope = Omit<SignedMessage, 'data' | 'fid'>

/** The serialised Message that `decodeMessage` reads back as the same message, form included. */
export function encodeEnvelope(message: Envelope): Uint8Array {
  const { form, dataBytes } = message
  return concatBytes(
    form === MESSAGE_FORMS.dataBytes ? NOTHING : bytesField(1, dataBytes),
    bytesField(2, message.hash),
    Uint8Array.of(0x18, message.hashScheme),
    bytesField(4, message.signature),
    Uint8Array.of(0x28, message.signatureScheme),
    bytesField(6, message.signer),
    form === MESSAGE_FORMS.data ? NOTHING : bytesField(7, dataBytes),
  )
}

/** A SubmitBulkMessagesRequest of these messages; `decodeBulk` and `decodeList` read it. */
export function encodeList(messages: readonly Envelope[]): Uint8Array {
  return concatBytes(...messages.map((message) => bytesField(1, encodeEnvelope(message))))
}

const NOTHING = new Uint8Array(0)

function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(number * 8 + 2), varint(bytes.length), bytes)
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}
