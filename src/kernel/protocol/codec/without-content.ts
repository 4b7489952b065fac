import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { kindOf } from '../kinds/kinds.ts'
import { MESSAGE_FORMS, type SignedMessage } from '../message.ts'
import { type MessageData, MessageDataSchema } from '../wire/message_pb.js'
import { decodeList, decodeStored } from './decode.ts'
import { encodeEnvelope, encodeList } from './envelope.ts'

// What followers are told of a message that moderation hides or erases: who sent it, when, of which type,
// its hash, its slot and what it points at. Texts, embeds and signatures are left out, so the hash is no
// longer that of the data.

const NO_SIGNATURE = new Uint8Array(0)

/** The data bytes of a message without its content. */
export function dataWithoutContent(dataBytes: Uint8Array): Uint8Array {
  const data = fromBinary(MessageDataSchema, dataBytes, { readUnknownFields: false })
  const { type, fid, timestamp, network } = data
  const body = bodyWithoutContent(data)
  return toBinary(
    MessageDataSchema,
    create(MessageDataSchema, { type, fid, timestamp, network, body }),
  )
}

/** The data bytes of a message with an empty body of its kind: without content, and without what it points at. */
export function dataWithoutBody(dataBytes: Uint8Array): Uint8Array {
  const { type, fid, timestamp, network, body } = fromBinary(MessageDataSchema, dataBytes)
  const empty = body.case === undefined ? body : { case: body.case, value: {} }
  const data = { type, fid, timestamp, network, body: empty } as MessageInitShape<
    typeof MessageDataSchema
  >
  return toBinary(MessageDataSchema, create(MessageDataSchema, data))
}

function bodyWithoutContent({ type, body }: MessageData): MessageData['body'] {
  const kind = kindOf(type)
  if (body.case === undefined || body.case !== kind?.body || !kind.withoutContent) return body
  return { case: body.case, value: kind.withoutContent(body.value) } as MessageData['body']
}

/** The same message without its content and its signature. Works for decoded messages and for stored rows. */
export function withoutContent(message: SignedMessage): SignedMessage {
  const dataBytes = dataWithoutContent(message.dataBytes)
  const data = fromBinary(MessageDataSchema, dataBytes)
  return { ...message, data, dataBytes, form: MESSAGE_FORMS.data, signature: NO_SIGNATURE }
}

/** The author and the hash of a stored message: what moderation goes by. */
export type MessageName = Pick<SignedMessage, 'fid' | 'hash'>

/** Authors and hashes of a serialised message and of the messages of a serialised list. */
export function messageNames(message: Uint8Array | null, list: Uint8Array | null): MessageName[] {
  return [...(message ? [decodeStored(message)] : []), ...(list ? decodeList(list) : [])]
}

/** A serialised message, without its content if `isHidden` says so. */
export function messageWithout(bytes: Uint8Array, isHidden: (name: MessageName) => boolean) {
  const message = decodeStored(bytes)
  return isHidden(message) ? encodeEnvelope(withoutContent(message)) : bytes
}

/** A serialised list of messages, without the content of those that `isHidden` names. */
export function listWithout(bytes: Uint8Array, isHidden: (name: MessageName) => boolean) {
  const messages = decodeList(bytes)
  if (!messages.some(isHidden)) return bytes
  return encodeList(messages.map((one) => (isHidden(one) ? withoutContent(one) : one)))
}
