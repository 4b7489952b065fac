import Type, { type TSchema } from 'typebox'
import {
  alias,
  boolParam,
  described,
  enumParam,
  fidParam,
  hexParam,
  intParam,
  optional,
  pageSizeParam,
  pageTokenParam,
  required,
  textParam,
} from '../http/params.ts'
import { jsonText, octets, type Route, route } from '../http/route.ts'
import { toHex } from '../protocol/bytes.ts'
import { decodeBulk, decodeMessage } from '../protocol/decode.ts'
import { messageJson } from '../protocol/json.ts'
import type { SignedMessage } from '../protocol/message.ts'
import { Rejection } from '../protocol/rejection.ts'
import { ReactionTypeSchema, UserDataTypeSchema } from '../protocol/wire/message_pb.js'
import { OnChainEventTypeSchema } from '../protocol/wire/onchain_event_pb.js'
import type { Hub } from './hub.ts'
import type { HubReads, Target } from './reads.ts'
import type { HubSettings } from './settings.ts'

const HASH_BYTES = 20
const KEY_BYTES = 32
const ADDRESS_BYTES = 20
const MAX_URL_BYTES = 256
const MAX_LINK_TYPE_BYTES = 8
const MAX_NAME_BYTES = 256
const MAX_NETWORK_SECONDS = 2 ** 32 - 1

const hash = hexParam({ bytes: HASH_BYTES, label: 'hash' })
const url = textParam({ maxBytes: MAX_URL_BYTES })
const linkType = textParam({ maxBytes: MAX_LINK_TYPE_BYTES })
const seconds = intParam({ min: 0, max: MAX_NETWORK_SECONDS })
const eventId = intParam({ min: 0, max: Number.MAX_SAFE_INTEGER })
const reactionType = enumParam(numbersOf(ReactionTypeSchema, 'REACTION_TYPE_NONE'), {
  prefix: 'REACTION_TYPE_',
})
const userDataType = enumParam(numbersOf(UserDataTypeSchema, 'USER_DATA_TYPE_NONE'), {
  prefix: 'USER_DATA_TYPE_',
})
const chainEventType = enumParam(numbersOf(OnChainEventTypeSchema, 'EVENT_TYPE_NONE'), {
  prefix: 'EVENT_TYPE_',
})

const paging = { pageSize: pageSizeParam, pageToken: pageTokenParam, reverse: boolParam }

type Paging = { pageSize: number; pageToken: Uint8Array | undefined; reverse: boolean }

const pageOf = ({ pageSize, pageToken, reverse }: Paging) => ({
  size: pageSize,
  token: pageToken,
  reverse,
})

/** Names to numbers of a wire enum, without the one that stands for "none". */
function numbersOf(
  schema: { values: readonly { name: string; number: number }[] },
  none: string,
): Record<string, number> {
  const named = schema.values.filter(({ name }) => name !== none)
  return Object.fromEntries(named.map(({ name, number }) => [name, number]))
}

const MessageSchema = Type.Object(
  {
    data: Type.Object(
      {
        type: Type.String({ examples: ['MESSAGE_TYPE_CAST_ADD'] }),
        fid: Type.Integer(),
        timestamp: Type.Integer({ description: 'Seconds since 2021-01-01T00:00:00Z' }),
        network: Type.String({ examples: ['SOCIAL_NETWORK_DEVNET'] }),
      },
      { additionalProperties: true, description: 'with one body, as its type says' },
    ),
    hash: Type.String({ description: '0x hex, 20 bytes of BLAKE3 over the data bytes' }),
    hashScheme: Type.Literal('HASH_SCHEME_BLAKE3'),
    signature: Type.String({ description: 'base64, Ed25519 over the hash' }),
    signatureScheme: Type.Literal('SIGNATURE_SCHEME_ED25519'),
    signer: Type.String({ description: '0x hex, 32-byte Ed25519 public key' }),
    dataBytes: Type.Optional(
      Type.String({ description: 'base64; present when the message came with data_bytes' }),
    ),
  },
  { title: 'Message' },
)
const MessageList = Type.Object({
  messages: Type.Array(MessageSchema),
  nextPageToken: Type.String({ description: 'empty on the last page' }),
})
const NameProof = Type.Object(
  {
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    name: Type.String(),
    owner: Type.String(),
    signature: Type.String(),
    fid: Type.Integer(),
    type: Type.String({ examples: ['USERNAME_TYPE_FNAME'] }),
  },
  { title: 'UserNameProof' },
)
const ChainEvent = Type.Object(
  {
    type: Type.String(),
    chainId: Type.Integer(),
    blockNumber: Type.Integer(),
    fid: Type.Integer(),
  },
  { title: 'OnChainEvent', additionalProperties: true },
)
const ChainEventList = Type.Object({
  events: Type.Array(ChainEvent),
  nextPageToken: Type.String(),
})
const HubEvent = Type.Object(
  { type: Type.String(), id: Type.Integer(), timestamp: Type.Integer() },
  { title: 'HubEvent', additionalProperties: true },
)

const SUBMIT_ERRORS = [
  'bad_request.parse_failure',
  'bad_request.validation_failure',
  'bad_request.unknown_fid',
  'bad_request.unknown_signer',
  'bad_request.no_storage',
  'bad_request.duplicate',
  'bad_request.conflict',
  'bad_request.prunable',
  'unauthenticated',
  'rate_limited',
  'unavailable.overloaded',
] as const

/** Every path of the hub's HTTP interface. */
export function hubRoutes(hub: Hub, reads: HubReads, settings: HubSettings): Route[] {
  return [...submitRoutes(hub, settings), ...messageRoutes(reads), ...accountRoutes(reads)]
}

function submitRoutes(hub: Hub, { json }: HubSettings): Route[] {
  const messageText = (message: SignedMessage) => JSON.stringify(messageJson(message, json))
  const body = octets({ description: 'One serialised protobuf Message' })
  return [
    route(
      {
        method: 'POST',
        path: '/v1/submitMessage',
        summary: 'Store a signed message; 200 once it is committed',
        body,
        reply: MessageSchema,
        errors: SUBMIT_ERRORS,
        protected: true,
        limit: 'submit',
        tags: ['submit'],
      },
      async ({ body }) => {
        const message = decodeMessage(body)
        await hub.submit(message)
        return jsonText(messageText(message))
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/submitBulkMessages',
        summary: 'Store up to 256 messages; each gets its own answer, in order',
        body: octets({ description: 'A serialised SubmitBulkMessagesRequest' }),
        reply: Type.Object({ messages: Type.Array(MessageSchema) }),
        errors: SUBMIT_ERRORS,
        protected: true,
        limit: 'submit',
        tags: ['submit'],
      },
      async ({ body }) => {
        const decoded = decodeBulk(body)
        const readable = decoded.filter((one) => !(one instanceof Rejection)) as SignedMessage[]
        const outcomes = await hub.submitAll(readable)
        const outcomeOf = new Map(readable.map((message, i) => [message, outcomes[i]]))
        const texts = decoded.map((one) => {
          if (one instanceof Rejection) return bulkError(one, undefined)
          const refused = outcomeOf.get(one)
          return refused ? bulkError(refused, one) : messageText(one)
        })
        return jsonText(`{"messages":[${texts.join(',')}]}`)
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/validateMessage',
        summary: 'Whether the hub considers a message valid; nothing is stored',
        description:
          'Checks that the fid is registered, that the signer is an active key of it, the hash, the ' +
          'signature, and the rules of the message type. Frame actions can be validated too. An ' +
          'invalid message is answered with `valid: false` and the reason.',
        body,
        reply: Type.Object({
          valid: Type.Boolean(),
          message: MessageSchema,
          errCode: Type.Optional(Type.String()),
          reason: Type.Optional(Type.String()),
          field: Type.Optional(Type.String()),
        }),
        errors: ['bad_request.parse_failure', 'unavailable.network_failure'],
        tags: ['submit'],
      },
      async ({ body }) => {
        const message = decodeMessage(body)
        const verdict = await hub.validate(message)
        const text = messageText(message)
        if (verdict.valid) return jsonText(`{"valid":true,"message":${text}}`)
        const { code, message: reason, field } = verdict.reason
        const why = JSON.stringify({ errCode: code, reason, field }).slice(1)
        return jsonText(`{"valid":false,"message":${text},${why}`)
      },
    ),
  ]
}

function bulkError(refused: Rejection, message: SignedMessage | undefined): string {
  return JSON.stringify({
    hash: toHex(message?.hash ?? new Uint8Array(0)),
    errCode: refused.code,
    message: refused.message,
  })
}

function messageRoutes(reads: HubReads): Route[] {
  const get = getter(['messages'])
  return [
    get(
      '/v1/castById',
      'One cast by author and hash',
      { fid: fidParam, hash },
      MessageSchema,
      (q) => reads.castById(q.fid, q.hash),
    ),
    get(
      '/v1/castsByFid',
      'Casts of an author, oldest first',
      {
        fid: fidParam,
        include_removes: described(boolParam, 'Also the messages that removed casts'),
        startTimestamp: optional(seconds),
        stopTimestamp: optional(seconds),
        ...paging,
      },
      MessageList,
      (q) =>
        reads.castsByFid(
          q.fid,
          { includeRemoves: q.includeRemoves, from: q.startTimestamp, to: q.stopTimestamp },
          pageOf(q),
        ),
    ),
    get(
      '/v1/castsByParent',
      'Replies to a cast (fid and hash) or to a url',
      { fid: optional(fidParam), hash: optional(hash), url: optional(url), ...paging },
      MessageList,
      (q) => reads.castsByParent(parentOf(q), pageOf(q)),
    ),
    get(
      '/v1/castsByMention',
      'Casts that mention a fid',
      { fid: fidParam, ...paging },
      MessageList,
      (q) => reads.castsByMention(q.fid, pageOf(q)),
    ),
    get(
      '/v1/reactionById',
      'One reaction by author, type and target',
      {
        fid: fidParam,
        reaction_type: required(reactionType, 'targetId provided without type'),
        target_fid: optional(fidParam),
        target_hash: optional(hash),
        target_url: optional(url),
      },
      MessageSchema,
      (q) => reads.reactionById(q.fid, q.reactionType, reactionTargetOf(q)),
    ),
    get(
      '/v1/reactionsByFid',
      'Reactions of an author',
      { fid: fidParam, reaction_type: optional(reactionType), ...paging },
      MessageList,
      (q) => reads.reactionsByFid(q.fid, q.reactionType, pageOf(q)),
    ),
    get(
      '/v1/reactionsByCast',
      'Reactions to a cast',
      {
        target_fid: fidParam,
        target_hash: hash,
        reaction_type: optional(reactionType),
        ...paging,
      },
      MessageList,
      (q) =>
        reads.reactionsByTarget(
          { fid: q.targetFid, hash: q.targetHash },
          q.reactionType,
          pageOf(q),
        ),
    ),
    get(
      '/v1/reactionsByTarget',
      'Reactions to a url',
      {
        url: alias(url, 'target_url', 'targetUrl'),
        reaction_type: optional(reactionType),
        ...paging,
      },
      MessageList,
      (q) => reads.reactionsByTarget({ url: q.url }, q.reactionType, pageOf(q)),
    ),
    get(
      '/v1/linkById',
      'One link by author, type and target',
      {
        fid: fidParam,
        target_fid: fidParam,
        link_type: required(linkType, 'targetId provided without type'),
      },
      MessageSchema,
      (q) => reads.linkById(q.fid, q.linkType, q.targetFid),
    ),
    get(
      '/v1/linksByFid',
      'Links of an author',
      { fid: fidParam, link_type: optional(linkType), ...paging },
      MessageList,
      (q) => reads.linksByFid(q.fid, q.linkType, pageOf(q)),
    ),
    get(
      '/v1/linksByTargetFid',
      'Links to a fid',
      { target_fid: fidParam, link_type: optional(linkType), ...paging },
      MessageList,
      (q) => reads.linksByTarget(q.targetFid, q.linkType, pageOf(q)),
    ),
    get(
      '/v1/userDataByFid',
      'The profile of a fid; with a type, that one message',
      { fid: fidParam, user_data_type: optional(userDataType), ...paging },
      Type.Union([MessageList, MessageSchema]),
      (q) =>
        q.userDataType === undefined
          ? reads.userDataByFid(q.fid, pageOf(q))
          : reads.userDataById(q.fid, q.userDataType),
    ),
    get(
      '/v1/verificationsByFid',
      'Verified addresses of a fid; with an address, that one message',
      { fid: fidParam, address: optional(textParam({ maxBytes: 128 })), ...paging },
      Type.Union([MessageList, MessageSchema]),
      (q) =>
        q.address === undefined
          ? reads.verificationsByFid(q.fid, pageOf(q))
          : reads.verificationById(q.fid, q.address),
    ),
    get(
      '/v1/userNameProofByName',
      'Who holds a name',
      { name: required(textParam({ maxBytes: MAX_NAME_BYTES }), 'fname is missing') },
      NameProof,
      (q) => reads.usernameProofByName(q.name),
    ),
    get(
      '/v1/userNameProofsByFid',
      'The names a fid holds, registry names first',
      { fid: fidParam },
      Type.Object({ proofs: Type.Array(NameProof) }),
      (q) => reads.usernameProofsByFid(q.fid),
    ),
    get(
      '/v1/eventById',
      'One event of the last three days',
      { event_id: alias(eventId, 'id') },
      HubEvent,
      (q) => reads.eventById(q.eventId),
    ),
    get(
      '/v1/events',
      'Events in order of id, from an id on; continue with nextPageEventId',
      { from_event_id: optional(eventId) },
      Type.Object({
        nextPageEventId: Type.Integer(),
        oldestEventId: Type.Optional(
          Type.Integer({ description: 'present when older events were asked for and are gone' }),
        ),
        events: Type.Array(HubEvent),
      }),
      (q) => reads.events(q.fromEventId ?? 0),
    ),
  ]
}

function accountRoutes(reads: HubReads): Route[] {
  const get = getter(['accounts'])
  return [
    get('/v1/info', 'What this hub is', { dbstats: boolParam }, infoReply, (q) =>
      reads.info(q.dbstats),
    ),
    get(
      '/v1/fids',
      'Registered fids in ascending order',
      paging,
      Type.Object({ fids: Type.Array(Type.Integer()), nextPageToken: Type.String() }),
      (q) => reads.fids(pageOf(q)),
    ),
    get(
      '/v1/storageLimitsByFid',
      'What a fid may store and has stored',
      { fid: fidParam },
      Type.Object({ units: Type.Integer() }, { additionalProperties: true }),
      (q) => reads.storageLimitsByFid(q.fid),
    ),
    get(
      '/v1/onChainSignersByFid',
      'Active keys of a fid; with a signer, the event that added that one',
      {
        fid: fidParam,
        signer: optional(hexParam({ bytes: KEY_BYTES, label: 'publicKey' })),
        ...paging,
      },
      Type.Union([ChainEventList, ChainEvent]),
      (q) =>
        q.signer === undefined
          ? reads.onChainSignersByFid(q.fid, pageOf(q))
          : reads.onChainSigner(q.fid, q.signer),
    ),
    get(
      '/v1/onChainEventsByFid',
      'On-chain events of a fid, of one type',
      { fid: fidParam, event_type: chainEventType, ...paging },
      ChainEventList,
      (q) => reads.onChainEventsByFid(q.fid, q.eventType, pageOf(q)),
    ),
    get(
      '/v1/onChainIdRegistryEventByAddress',
      'The event that gave an address its fid',
      { address: hexParam({ bytes: ADDRESS_BYTES, label: 'address' }) },
      ChainEvent,
      (q) => reads.idRegistryEventByAddress(q.address),
    ),
  ]
}

const infoReply = Type.Object(
  { version: Type.String(), isSyncing: Type.Boolean(), nickname: Type.String() },
  { additionalProperties: true },
)

/** Declares GET routes that answer with ready JSON text. */
function getter(tags: readonly string[]) {
  return <const Q extends import('../http/params.ts').ParamSpecs>(
    path: string,
    summary: string,
    query: Q,
    reply: TSchema,
    answer: (query: import('../http/params.ts').ParsedParams<Q>) => Promise<string>,
  ): Route =>
    route(
      {
        method: 'GET',
        path,
        summary,
        query,
        reply,
        errors: ['bad_request.invalid_param', 'not_found'],
        tags,
      },
      async (input) => jsonText(await answer(input.query)),
    )
}

type ParentQuery = {
  fid: number | undefined
  hash: Uint8Array | undefined
  url: string | undefined
}

function parentOf({ fid, hash, url }: ParentQuery): Target {
  if (fid !== undefined && hash !== undefined) return { fid, hash }
  if (fid === undefined && hash === undefined && url !== undefined) return { url }
  const field = fid === undefined && hash === undefined ? 'url' : fid === undefined ? 'fid' : 'hash'
  throw new Rejection(
    'bad_request.invalid_param',
    'a parent is needed: fid and hash of a cast, or a url',
    { field },
  )
}

function reactionTargetOf(query: {
  targetFid: number | undefined
  targetHash: Uint8Array | undefined
  targetUrl: string | undefined
}): Target {
  const { targetFid, targetHash, targetUrl } = query
  if (targetFid !== undefined && targetHash !== undefined)
    return { fid: targetFid, hash: targetHash }
  if (targetUrl !== undefined) return { url: targetUrl }
  throw new Rejection(
    'bad_request.validation_failure',
    'a target is needed: target_fid and target_hash of a cast, or target_url',
    { field: targetFid === undefined ? 'target_fid' : 'target_hash' },
  )
}
