import Type from 'typebox'
import { errorRow } from '../../http/errors.ts'
import { bind, jsonText, octets, type Route, route } from '../../http/route.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import {
  bulkBodies,
  countBulk,
  decodeMessage,
  MAX_BULK_MESSAGES,
} from '../../protocol/codec/decode.ts'
import type { Rejection } from '../../protocol/rejection.ts'
import type { HubContext } from '../hub-route.ts'
import { MessageSchema } from '../reads/replies.ts'
import type { Refusal } from './pipeline.ts'
import { costOfBulk, costOfMessage } from './price.ts'

/** As how many submits a bulk request counts. One with more messages than are taken is refused as a whole. */
export const submitsIn = (body: Uint8Array): number =>
  Math.min(MAX_BULK_MESSAGES, Math.max(1, countBulk(body)))

/** Names the event that reports a stored message. */
const EVENT_ID_HEADER = 'x-rookery-event-id'

const SUBMIT_ERRORS = [
  'bad_request.parse_failure',
  'bad_request.validation_failure',
  'bad_request.unknown_fid',
  'bad_request.unknown_signer',
  'bad_request.no_storage',
  'bad_request.duplicate',
  'bad_request.conflict',
  'bad_request.prunable',
  'bad_request.blocked',
  'bad_request.erased',
  'unauthorized.suspended',
  'unauthorized.new_account',
  'unavailable.overloaded',
] as const

const BulkError = Type.Object(
  { hash: Type.String(), errCode: Type.String(), message: Type.String() },
  { title: 'MessageError' },
)

const SUBMIT = [{ name: 'Submit', description: 'Storing and validating messages.' }]

const BODY = octets({ description: 'One serialised protobuf Message' })

/** Routes that store and validate messages. */
export const submitRoutes = (context: HubContext): Route[] =>
  bind(context, [submitMessage, submitBulkMessages, validateMessage])

const submitMessage = route('POST /v1/submitMessage', {
  callers: 'credentials',
  summary: 'Store a signed message',
  description:
    'The answer comes once the message is committed and flushed to disk. Its header ' +
    '`x-rookery-event-id` is the id of the event that reports the message.',
  body: BODY,
  reply: MessageSchema,
  errors: SUBMIT_ERRORS,
  limit: 'submit',
  cost: { signatures: 1, writes: 1 },
  costOfBody: costOfMessage,
  tags: SUBMIT,
  handler: async ({ hub, json }: HubContext, { body }) => {
    const [outcome] = await hub.submit([body])
    if ('rejection' in outcome!) throw outcome.rejection
    const headers = { [EVENT_ID_HEADER]: String(outcome!.id) }
    return jsonText(json.message(outcome!.message), { headers })
  },
})

const submitBulkMessages = route('POST /v1/submitBulkMessages', {
  callers: 'credentials',
  summary: 'Store up to 256 messages',
  description:
    'Each message gets its own answer, in order: the message itself, or why it was refused.',
  body: octets({ description: 'A serialised SubmitBulkMessagesRequest' }),
  reply: Type.Object({ messages: Type.Array(Type.Union([MessageSchema, BulkError])) }),
  errors: SUBMIT_ERRORS,
  limit: 'submit',
  cost: {},
  costOfBody: costOfBulk,
  countOfBody: submitsIn,
  tags: SUBMIT,
  handler: async ({ hub, json }: HubContext, { body }) => {
    const outcomes = await hub.submit(bulkBodies(body))
    return jsonText(
      json.submitted(outcomes.map((one) => ('rejection' in one ? bulkError(one) : one.message))),
    )
  },
})

const validateMessage = route('POST /v1/validateMessage', {
  callers: 'anyone',
  summary: 'Validate a message without storing it',
  description:
    'Checks that the fid is registered, that the signer is an active key of it, the hash, the ' +
    'signature, and the rules of the message type. Frame actions can be validated too. An ' +
    'invalid message is answered with `valid: false` and the reason.',
  body: BODY,
  reply: Type.Object({
    valid: Type.Boolean(),
    message: MessageSchema,
    errCode: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    details: Type.Optional(Type.String({ description: 'The same text as `reason`' })),
    field: Type.Optional(Type.String()),
  }),
  errors: ['bad_request.validation_failure', 'unavailable.network_failure'],
  cost: { cpu: 'small', signatures: 1 },
  costOfBody: costOfMessage,
  tags: SUBMIT,
  handler: async ({ hub, json }: HubContext, { body }) => {
    const message = decodeMessage(body)
    const verdict = await hub.validate(message)
    const text = json.text(message)
    if (verdict.valid) return jsonText(`{"valid":true,"message":${text}}`)
    const { message: reason, field } = verdict.reason
    const errCode = errCodeOf(verdict.reason)
    // A published client prints `details || message`, and this message is not a text.
    const why = JSON.stringify({ errCode, reason, details: reason, field }).slice(1)
    return jsonText(`{"valid":false,"message":${text},${why}`)
  },
})

/** The code as every other answer of this interface spells it. */
const errCodeOf = ({ code }: Rejection) => errorRow(code).hubCode ?? code

const bulkError = ({ rejection, head }: Refusal): string =>
  JSON.stringify({
    hash: toHex(head?.hash ?? new Uint8Array(0)),
    errCode: errCodeOf(rejection),
    message: rejection.message,
  })
