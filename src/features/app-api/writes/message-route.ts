import { fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf'
import Type from 'typebox'

import { route, uncheckedJson } from '../../../kernel/http/route.ts'
import { toHex } from '../../../kernel/protocol/codec/bytes.ts'
import { decodeMessage } from '../../../kernel/protocol/codec/decode.ts'
import type { SignedMessage } from '../../../kernel/protocol/message.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { slotOf } from '../../../kernel/protocol/slots.ts'
import { MessageSchema } from '../../../kernel/protocol/wire/message_pb.js'
import { answerWrite, MESSAGE_COST, MESSAGE_ERRORS, type WritesContext } from './context.ts'

const MESSAGES = [{ name: 'Messages', description: 'Messages that were signed elsewhere.' }]

const Scheme = Type.Union([Type.String(), Type.Integer()], { description: 'By name or number.' })
const MessageBody = Type.Object(
  {
    data: Type.Optional(
      Type.Object(
        {
          type: Scheme,
          fid: Type.Integer(),
          timestamp: Type.Integer({ description: 'Network seconds.' }),
          network: Scheme,
        },
        { description: 'What was signed, with the body of its type.' },
      ),
    ),
    dataBytes: Type.Optional(Type.String({ description: 'Base64; wins over data.' })),
    hash: Type.Optional(Type.String({ description: 'Base64.' })),
    hashScheme: Type.Optional(Scheme),
    signature: Type.Optional(Type.String({ description: 'Base64.' })),
    signatureScheme: Type.Optional(Scheme),
    signer: Type.Optional(Type.String({ description: 'Base64.' })),
  },
  { description: 'A Message as @farcaster/core writes it: enums by name, bytes in base64.' },
)

/** Deployed clients name networks otherwise. */
const NETWORK_PREFIX = /^(?:FARCASTER|SOCIAL)_NETWORK_/

export const messageRoute = route('POST /v2/farcaster/message', {
  callers: 'app',
  summary: 'Store a message that the user has signed',
  description: 'It is checked and stored like a message that is sent to the hub.',
  tags: MESSAGES,
  body: uncheckedJson(MessageBody),
  reply: Type.Object({ success: Type.Boolean(), hash: Type.String() }),
  errors: MESSAGE_ERRORS,
  cost: MESSAGE_COST,
  handler: async (context: WritesContext, { body }) => {
    const message = messageOf(body as JsonValue)
    const [result] = await context.submitAll([message])
    if (result instanceof Rejection && result.code !== 'bad_request.duplicate') throw result
    const eventId =
      typeof result === 'number'
        ? result
        : (await context.storage.messages.bySlot(slotOf(message)))?.id
    return answerWrite(context, [{ eventId }], { success: true, hash: toHex(message.hash) })
  },
})

/** Reads the JSON of a message. `dataBytes` is what was signed; without it `data` in its canonical encoding. */
function messageOf(json: JsonValue): SignedMessage {
  try {
    const options = { ignoreUnknownFields: true }
    const message = fromJson(MessageSchema, withOurNetwork(json), options)
    return decodeMessage(toBinary(MessageSchema, message))
  } catch (error) {
    if (error instanceof Rejection) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Rejection('bad_request.parse_failure', `the body is not a Message: ${why}`)
  }
}

function withOurNetwork(json: JsonValue): JsonValue {
  if (!isObject(json) || !isObject(json.data)) return json
  const { network } = json.data
  if (typeof network !== 'string') return json
  return {
    ...json,
    data: { ...json.data, network: network.replace(NETWORK_PREFIX, 'NETWORK_') },
  }
}

const isObject = (value: JsonValue | undefined): value is { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
