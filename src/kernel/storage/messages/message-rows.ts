import { fromBinary } from '@bufbuild/protobuf'
import { encodeEnvelope } from '../../protocol/codec/envelope.ts'
import type { MessageForm, SignedMessage } from '../../protocol/message.ts'
import { mentionsOf, messageSetOf, slotOf, targetOf } from '../../protocol/slots.ts'
import { HashScheme, MessageDataSchema, SignatureScheme } from '../../protocol/wire/message_pb.js'
import type { SentMessage } from './envelopes.ts'
import type { NewMessage } from './messages.ts'

/** The columns of a checked message but its id, which is given when it is merged. */
export function toRow(message: SignedMessage): Omit<NewMessage, 'id'> {
  const { data, fid, hash, signer, signature, form, dataBytes } = message
  return {
    fid,
    store: messageSetOf(data.type),
    type: data.type,
    timestamp: data.timestamp,
    hash,
    slot: slotOf(message),
    target: targetOf(message) ?? null,
    signer,
    signature,
    form,
    data: dataBytes,
    mentions: mentionsOf(message),
  }
}

/** A checked message as a row; `id` is the id of the event that reports its merge. */
export const toStored = (message: SignedMessage, id: number): NewMessage => ({
  id,
  ...toRow(message),
})

/** The message of a row. */
export function fromStored(row: SentMessage): SignedMessage {
  return {
    data: fromBinary(MessageDataSchema, row.data, { readUnknownFields: false }),
    ...envelopeOf(row),
  }
}

/** A stored message's bytes, as an event keeps them once the message is gone. */
export function encodeStored(row: SentMessage): Uint8Array {
  return encodeEnvelope(envelopeOf(row))
}

/** The envelope of a stored message. Only messages with these two schemes are ever stored. */
export function envelopeOf(row: SentMessage) {
  return {
    fid: row.fid,
    dataBytes: row.data,
    form: row.form as MessageForm,
    hash: row.hash,
    hashScheme: HashScheme.BLAKE3,
    signature: row.signature,
    signatureScheme: SignatureScheme.ED25519,
    signer: row.signer,
  }
}

/** The columns that a decoded message is sent with. */
export const sentMessageOf = ({ data, dataBytes, ...message }: SignedMessage): SentMessage => ({
  ...message,
  type: data.type,
  timestamp: data.timestamp,
  data: dataBytes,
})
