// The methods of HubService that answer one request with one answer: what each reads, and how it is written.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DescMessage, MessageShape } from '@bufbuild/protobuf'
import type { AnswerCache } from '../http/answer-cache.ts'
import { eventToken, rangeAfter } from '../hub/events/event-token.ts'
import type { Hub } from '../hub/hub.ts'
import {
  addressTypeResponse,
  bulkResponse,
  echoedMessage,
  eventsResponse,
  fidsResponse,
  hubEventBytes,
  infoResponse,
  messageBytes,
  messageSize,
  messagesResponse,
  nameProofBytes,
  nameProofsResponse,
  onChainEventResponse,
  signerResponse,
  signersResponse,
  storageLimitsResponse,
  syncStatusResponse,
  validationResponse,
} from '../hub/reads/protobuf-presenter.ts'
import { EVENTS_PER_PAGE, type HubReads } from '../hub/reads/reads.ts'
import { submitsIn } from '../hub/submit/submit-routes.ts'
import { bulkBodies, decodeMessage } from '../protocol/codec/decode.ts'
import type { SetName } from '../protocol/kinds/kind.ts'
import { MESSAGE_FORMS, type MessageForm } from '../protocol/message.ts'
import { Rejection } from '../protocol/rejection.ts'
import { MESSAGE_SETS } from '../protocol/slots.ts'
import { CastIdSchema } from '../protocol/wire/message_pb.js'
import { OnChainEventType } from '../protocol/wire/onchain_event_pb.js'
import {
  CastsByParentRequestSchema,
  EventRequestSchema,
  EventsRequestSchema,
  FidAddressTypeRequestSchema,
  FidRequestSchema,
  FidsRequestSchema,
  type FidTimestampRequest,
  FidTimestampRequestSchema,
  HubInfoRequestSchema,
  IdRegistryEventByAddressRequestSchema,
  LinkRequestSchema,
  LinksByFidRequestSchema,
  LinksByTargetRequestSchema,
  OnChainEventRequestSchema,
  ReactionRequestSchema,
  ReactionsByFidRequestSchema,
  ReactionsByTargetRequestSchema,
  SignerRequestSchema,
  SignersByFidRequestSchema,
  UserDataRequestSchema,
  UsernameProofRequestSchema,
  VerificationRequestSchema,
} from '../protocol/wire/rpc_pb.js'
import type { Versions } from '../storage/engines/versions.ts'
import type { Envelope } from '../storage/messages/envelopes.ts'
import { envelopeOf } from '../storage/messages/message-rows.ts'
import type { Page, PageRequest } from '../storage/reads/page.ts'
import type { StoredChainEvent } from '../storage/tables/accounts.ts'
import { cachedCall } from './cached-calls.ts'
import type { Call, Method, UnaryHandler } from './method.ts'
import { MAX_ANSWER_BYTES, MAX_PAGE_BYTES, readInBatches } from './pages.ts'
import type { MethodName } from './price.ts'
import {
  decodeRequest,
  type ListRequest,
  type PageFields,
  readBytes,
  readCastId,
  readEventId,
  readFid,
  readLinkType,
  readPage,
  readParent,
  readReactionType,
  readRequiredTarget,
  readSeconds,
  requireType,
} from './requests.ts'
import { errCodeOf, errorTrailers } from './status.ts'

const KEY_BYTES = 32
const ADDRESS_BYTES = 20
const NO_BYTES = new Uint8Array(0)

export type SubmitGuard = {
  /** Throws a Rejection when the caller submits too many messages, by default one, or lacks credentials. */
  checkSubmit(call: Call, messages?: number): void
}

/** The methods that answer all messages of a set; for the others the wire has none. */
const ALL_MESSAGES: Readonly<Record<SetName, MethodName | undefined>> = {
  casts: 'GetAllCastMessagesByFid',
  reactions: 'GetAllReactionMessagesByFid',
  verifications: 'GetAllVerificationMessagesByFid',
  userData: 'GetAllUserDataMessagesByFid',
  links: 'GetAllLinkMessagesByFid',
  usernameProofs: undefined,
  linkCompactState: undefined,
}

/** The bounds of the messages that a request asks for. */
export const timesOf = ({ startTimestamp, stopTimestamp }: FidTimestampRequest) => ({
  from: readSeconds(startTimestamp, 'start_timestamp'),
  to: readSeconds(stopTimestamp, 'stop_timestamp'),
})

/** All messages of a fid and a set, as GetAll…MessagesByFid and StreamFetch answer them. */
export function readAllMessages(
  reads: HubReads,
  request: FidTimestampRequest,
  set: number,
  call: Pick<Call, 'isCancelled'>,
): Promise<Page<Envelope>> {
  const fid = readFid(request.fid)
  const times = timesOf(request)
  return readInBatches(
    readPage(request),
    (page) => reads.messagesByFid(fid, set, times, page),
    messageSize,
    call,
  )
}

export type HubMethodsOptions = {
  readonly hub: Hub
  readonly reads: HubReads
  readonly guard: SubmitGuard
  /** Caches answers as long as these say that nothing changed. */
  readonly cache: AnswerCache
  readonly versions: Versions | undefined
}

/** The unary methods of HubService by name. */
export function hubMethods({
  hub,
  reads,
  guard,
  cache,
  versions,
}: HubMethodsOptions): Map<MethodName, Method> {
  const methods = new Map<MethodName, Method>()
  const add = (name: MethodName, handle: UnaryHandler) =>
    methods.set(name, { kind: 'unary', handle })

  const get = <S extends DescMessage>(
    name: MethodName,
    schema: S,
    answer: (request: MessageShape<S>, call: Call) => Promise<Uint8Array>,
    version?: (request: MessageShape<S>) => number | undefined,
  ) => {
    const decode = (bytes: Uint8Array) => decodeRequest(schema, bytes)
    if (version) add(name, cachedCall(cache, { decode, version, answer }))
    else add(name, async (bytes, call) => answer(decode(bytes), call))
  }
  /** The version of answers that show the messages of one author alone. */
  const ofAuthor = ({ fid }: { readonly fid: bigint }) => versions?.ofAuthor(Number(fid))

  const messages = async (
    { fields, call }: { fields: PageFields; call: Call },
    read: (page: PageRequest) => Promise<Page<Envelope>>,
  ) => messagesResponse(await readInBatches(readPage(fields), read, messageSize, call))

  const chainEvents = (
    fields: PageFields,
    call: Call,
    read: (page: PageRequest) => Promise<Page<StoredChainEvent>>,
  ) => readInBatches(readPage(fields), read, ({ body }) => body.length, call)

  const listOfFid = (
    name: MethodName,
    read: (fid: number, page: PageRequest) => Promise<Page<Envelope>>,
    version?: typeof ofAuthor,
  ) =>
    get(
      name,
      FidRequestSchema,
      async (fields, call) => {
        const fid = readFid(fields.fid)
        return messages({ fields, call }, (page) => read(fid, page))
      },
      version,
    )

  add('SubmitMessage', async (bytes, call) => {
    guard.checkSubmit(call)
    const [outcome] = await hub.submit([bytes])
    if ('rejection' in outcome!) throw outcome.rejection
    return echoedMessage(bytes, envelopeOf(outcome!.message))
  })
  add('SubmitBulkMessages', async (bytes, call) => {
    guard.checkSubmit(call, submitsIn(bytes))
    return submitBulk(hub, bytes)
  })
  add('ValidateMessage', async (bytes) => {
    const message = decodeMessage(bytes)
    const verdict = await hub.validate(message)
    const echoed = echoedMessage(bytes, message)
    if (verdict.valid) return validationResponse(true, echoed)
    return {
      bytes: validationResponse(false, echoed),
      trailers: errorTrailers(errCodeOf(verdict.reason)),
    }
  })

  get('GetEvent', EventRequestSchema, async ({ id }) =>
    hubEventBytes(await reads.eventById(readEventId(id))),
  )
  get(
    'GetEvents',
    EventsRequestSchema,
    async (request, call) => {
      const first = readEventId(request.startId)
      const before = request.stopId ? readEventId(request.stopId) : undefined
      return eventPage(reads, { first, before }, readPage(request, EVENTS_PER_PAGE), call)
    },
    () => versions?.ofStore(),
  )

  get(
    'GetCast',
    CastIdSchema,
    async (request) => {
      const { fid, hash } = readCastId(request)
      return messageBytes(await reads.castById(fid, hash))
    },
    ofAuthor,
  )
  listOfFid(
    'GetCastsByFid',
    (fid, page) => reads.castsByFid(fid, { includeRemoves: false }, page),
    ofAuthor,
  )
  listOfFid('GetCastsByMention', (fid, page) => reads.castsByMention(fid, page))
  get('GetCastsByParent', CastsByParentRequestSchema, async (fields, call) => {
    const parent = readParent(fields.parent)
    return messages({ fields, call }, (page) => reads.castsByParent(parent, page))
  })

  get(
    'GetReaction',
    ReactionRequestSchema,
    async (request) => {
      const fid = readFid(request.fid)
      const type = requireType(readReactionType(request.reactionType), 'reaction_type')
      const target = readRequiredTarget(request.target)
      return messageBytes(await reads.reactionById(fid, type, target))
    },
    ofAuthor,
  )
  get(
    'GetReactionsByFid',
    ReactionsByFidRequestSchema,
    async (fields, call) => {
      const fid = readFid(fields.fid)
      const type = readReactionType(fields.reactionType)
      return messages({ fields, call }, (page) => reads.reactionsByFid(fid, type, page))
    },
    ofAuthor,
  )
  get('GetReactionsByCast', ReactionsByTargetRequestSchema, async (fields, call) => {
    if (fields.target.case !== 'targetCastId') {
      const text = 'fid is missing, hash is missing'
      throw new Rejection('bad_request.validation_failure', text, { field: 'target_cast_id' })
    }
    const target = readCastId(fields.target.value)
    const type = readReactionType(fields.reactionType)
    return messages({ fields, call }, (page) => reads.reactionsByTarget(target, type, page))
  })
  get('GetReactionsByTarget', ReactionsByTargetRequestSchema, async (fields, call) => {
    const target = readRequiredTarget(fields.target)
    const type = readReactionType(fields.reactionType)
    return messages({ fields, call }, (page) => reads.reactionsByTarget(target, type, page))
  })

  get(
    'GetUserData',
    UserDataRequestSchema,
    async (request) =>
      messageBytes(await reads.userDataById(readFid(request.fid), request.userDataType)),
    ofAuthor,
  )
  listOfFid('GetUserDataByFid', (fid, page) => reads.userDataByFid(fid, page), ofAuthor)
  get('GetUsernameProof', UsernameProofRequestSchema, async ({ name }) => {
    if (name.length === 0) {
      throw new Rejection('bad_request.invalid_param', 'name is missing', { field: 'name' })
    }
    return nameProofBytes(await reads.usernameProofByName(Buffer.from(name).toString()))
  })
  get('GetUserNameProofsByFid', FidRequestSchema, async (request) =>
    nameProofsResponse(await reads.usernameProofsByFid(readFid(request.fid))),
  )
  get(
    'GetVerification',
    VerificationRequestSchema,
    async ({ fid, address }) =>
      messageBytes(await reads.verificationByAddress(readFid(fid), address)),
    ofAuthor,
  )
  listOfFid('GetVerificationsByFid', (fid, page) => reads.verificationsByFid(fid, page), ofAuthor)

  get(
    'GetLink',
    LinkRequestSchema,
    async (request) => {
      const fid = readFid(request.fid)
      const type = requireType(readLinkType(request.linkType), 'link_type')
      const target = readFid(request.target.value, 'target_fid')
      return messageBytes(await reads.linkById(fid, type, target))
    },
    ofAuthor,
  )
  get(
    'GetLinksByFid',
    LinksByFidRequestSchema,
    async (fields, call) => {
      const fid = readFid(fields.fid)
      const type = readLinkType(fields.linkType)
      return messages({ fields, call }, (page) => reads.linksByFid(fid, type, page))
    },
    ofAuthor,
  )
  get('GetLinksByTarget', LinksByTargetRequestSchema, async (fields, call) => {
    const target = readFid(fields.target.value, 'target_fid')
    const type = readLinkType(fields.linkType)
    return messages({ fields, call }, (page) => reads.linksByTarget(target, type, page))
  })
  listOfFid(
    'GetLinkCompactStateMessageByFid',
    (fid, page) => reads.messagesByFid(fid, MESSAGE_SETS.linkCompactState, {}, page),
    ofAuthor,
  )

  for (const [set, name] of Object.entries(ALL_MESSAGES) as [SetName, MethodName | undefined][]) {
    if (!name) continue
    const all = (request: FidTimestampRequest, call: Call) =>
      readAllMessages(reads, request, MESSAGE_SETS[set], call)
    get(
      name,
      FidTimestampRequestSchema,
      async (request, call) => messagesResponse(await all(request, call)),
      ofAuthor,
    )
  }
  // Clients that reconcile a fid's messages call it, and skip the fid when it fails.
  get('GetAllLendStorageMessagesByFid', FidTimestampRequestSchema, async () => NO_BYTES)

  get('GetOnChainSigner', SignerRequestSchema, async (request) => {
    const key = readBytes(request.signer, KEY_BYTES, 'publicKey')
    return (await reads.onChainSigner(readFid(request.fid), key)).body
  })
  get('GetOnChainSignersByFid', FidRequestSchema, async (request, call) => {
    const fid = readFid(request.fid)
    const read = (page: PageRequest) => reads.onChainSignersByFid(fid, page)
    return onChainEventResponse(await chainEvents(request, call, read))
  })
  get('GetOnChainEvents', OnChainEventRequestSchema, async (request, call) => {
    // Migrations are events of the whole network and have no fid.
    const isOfNetwork = request.eventType === OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED
    const fid = isOfNetwork && request.fid === 0n ? 0 : readFid(request.fid)
    const read = (page: PageRequest) => reads.onChainEventsByFid(fid, request.eventType, page)
    return onChainEventResponse(await chainEvents(request, call, read))
  })
  get(
    'GetIdRegistryOnChainEvent',
    FidRequestSchema,
    async (request) => (await reads.idRegistryEventByFid(readFid(request.fid))).body,
  )
  get(
    'GetIdRegistryOnChainEventByAddress',
    IdRegistryEventByAddressRequestSchema,
    async (request) => {
      const address = readBytes(request.address, ADDRESS_BYTES, 'address')
      return (await reads.idRegistryEventByAddress(address)).body
    },
  )
  get('GetCurrentStorageLimitsByFid', FidRequestSchema, async (request) =>
    storageLimitsResponse(await reads.storageLimitsByFid(readFid(request.fid))),
  )
  get('GetFids', FidsRequestSchema, async (request, call) => {
    const read = (page: PageRequest) => reads.fids(page)
    return fidsResponse(await readInBatches(readPage(request), read, () => FID_BYTES, call))
  })
  get('GetSigner', SignerRequestSchema, async (request) => {
    const key = readBytes(request.signer, KEY_BYTES, 'publicKey')
    return signerResponse(await reads.onChainSigner(readFid(request.fid), key))
  })
  get('GetSignersByFid', SignersByFidRequestSchema, async (request, call) => {
    const fid = readFid(request.fid)
    const read = (page: PageRequest) => reads.onChainSignersByFid(fid, page)
    return signersResponse(await chainEvents(request, call, read), request.requesterFids)
  })
  get('GetFidAddressType', FidAddressTypeRequestSchema, async (request) =>
    addressTypeResponse(await reads.addressUses(readFid(request.fid), request.address)),
  )

  get('GetInfo', HubInfoRequestSchema, async () => infoResponse(await reads.info()))
  add('GetSyncStatus', async () => syncStatusResponse(await reads.info()))
  // No peers: there is one hub.
  add('GetCurrentPeers', () => NO_BYTES)
  add('GetConnectedPeers', () => NO_BYTES)
  return methods
}

/** Bytes of a fid in a list, at most. */
const FID_BYTES = 5

const refusal = (refused: Rejection, hash: Uint8Array) => ({
  hash,
  errCode: errCodeOf(refused),
  message: refused.message,
})

/** What an answer may have besides the message that was sent: its field, or why it was refused. */
const ANSWER_OVERHEAD_BYTES = 512

async function submitBulk(hub: Hub, bytes: Uint8Array): Promise<Uint8Array> {
  const bodies = bulkBodies(bytes)
  const answerBytes = bytes.length + bodies.length * ANSWER_OVERHEAD_BYTES
  if (answerBytes > MAX_ANSWER_BYTES) {
    throw new Rejection(
      'bad_request.too_large',
      `the answer would exceed ${MAX_ANSWER_BYTES} bytes; send fewer messages at once`,
    )
  }
  const outcomes = await hub.submit(bodies)
  const inForm = (form: MessageForm) =>
    bulkResponse(
      outcomes.map((outcome, i) =>
        'rejection' in outcome
          ? refusal(outcome.rejection, outcome.head?.hash ?? NO_BYTES)
          : echoedMessage(bodies[i]!, envelopeOf(outcome.message), form),
      ),
    )
  const answer = inForm(MESSAGE_FORMS.both)
  // All clients read `data`. Alone it is as long as what was sent in the other field.
  return answer.length <= MAX_ANSWER_BYTES ? answer : inForm(MESSAGE_FORMS.data)
}

/** Events that are read first, before it is known how large they are, and later at most. */
const FIRST_EVENTS = 32
const EVENT_BATCH = 250

async function eventPage(
  reads: HubReads,
  { first, before }: { first: number; before: number | undefined },
  { size, token, reverse }: ListRequest,
  call: Call,
): Promise<Uint8Array> {
  const asked = { from: first, before, reverse }
  const range = rangeAfter(asked, token)
  const written: Uint8Array[] = []
  let bytes = 0
  let lastId = 0
  let batch = FIRST_EVENTS
  while (true) {
    const wanted = Math.min(batch, size - written.length) + 1
    const events = await reads.eventRange(range, wanted)
    for (const [i, event] of events.slice(0, wanted - 1).entries()) {
      const one = hubEventBytes(event)
      written.push(one)
      bytes += one.length
      lastId = event.id
      if (bytes <= MAX_PAGE_BYTES) continue
      return eventsResponse(written, i + 1 < events.length ? eventToken(asked, lastId) : undefined)
    }
    if (events.length < wanted) return eventsResponse(written, undefined)
    if (written.length >= size || call.isCancelled()) {
      return eventsResponse(written, eventToken(asked, lastId))
    }
    if (reverse) range.before = lastId
    else range.from = lastId + 1
    const fitting = Math.ceil((MAX_PAGE_BYTES - bytes) / (bytes / written.length))
    batch = Math.min(EVENT_BATCH, Math.max(1, fitting))
    await nextTurn()
  }
}
