// The methods of HubService: what each costs, what it reads, and how the answer is written.

import { EVENTS_PER_PAGE } from '../hub/events/event-reads.ts'
import type { Hub } from '../hub/hub.ts'
import {
  addressTypeResponse,
  bulkResponse,
  echoedMessage,
  fidsResponse,
  hubEventBytes,
  infoResponse,
  messageBytes,
  nameProofBytes,
  nameProofsResponse,
  onChainEventResponse,
  signerResponse,
  signersResponse,
  storageLimitsResponse,
  syncStatusResponse,
  validationResponse,
} from '../hub/reads/protobuf-presenter.ts'
import { reactionTargets, replyTarget, type Target } from '../hub/reads/reads.ts'
import { MAX_REQUESTER_FIDS } from '../hub/reads/signers.ts'
import { costOfBulk, costOfMessage } from '../hub/submit/price.ts'
import { submitsIn } from '../hub/submit/submit-routes.ts'
import { bulkBodies, decodeMessage } from '../protocol/codec/decode.ts'
import type { SetName } from '../protocol/kinds/kind.ts'
import { MESSAGE_FORMS, type MessageForm } from '../protocol/message.ts'
import { Rejection } from '../protocol/rejection.ts'
import { ADDRESS_BYTES, KEY_BYTES, NO_BYTES } from '../protocol/sizes.ts'
import { linksByTargetPrefix, MESSAGE_SETS } from '../protocol/slots.ts'
import { CastIdSchema } from '../protocol/wire/message_pb.js'
import { OnChainEventType } from '../protocol/wire/onchain_event_pb.js'
import {
  CastsByParentRequestSchema,
  EventRequestSchema,
  EventsRequestSchema,
  FidAddressTypeRequestSchema,
  FidRequestSchema,
  FidsRequestSchema,
  FidTimestampRequestSchema,
  HubInfoRequestSchema,
  type HubService,
  IdRegistryEventByAddressRequestSchema,
  LinkRequestSchema,
  LinksByFidRequestSchema,
  LinksByTargetRequestSchema,
  OnChainEventRequestSchema,
  ReactionRequestSchema,
  ReactionsByFidRequestSchema,
  type ReactionsByTargetRequest,
  ReactionsByTargetRequestSchema,
  SignerRequestSchema,
  SignersByFidRequestSchema,
  UserDataRequestSchema,
  UsernameProofRequestSchema,
  VerificationRequestSchema,
} from '../protocol/wire/rpc_pb.js'
import { envelopeOf } from '../storage/messages/message-rows.ts'
import type { Page, PageRequest } from '../storage/reads/page.ts'
import type { StoredChainEvent } from '../storage/tables/accounts.ts'
import { streamFetch } from './fetch.ts'
import {
  allMessages,
  get,
  type HubMethod,
  LOOK_UP,
  list,
  listOfFid,
  ofAuthor,
  PAGE,
  unary,
} from './hub-method.ts'
import type { Call } from './method.ts'
import { eventPage, MAX_ANSWER_BYTES, readInBatches } from './pages.ts'
import {
  checkShard,
  decodeRequest,
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
  requireType,
} from './requests.ts'
import { PATH_HEADER } from './server-path.ts'
import { errCodeOf, errorTrailers } from './status.ts'
import { subscribe } from './subscribe.ts'

/** Bytes of a fid in a list, at most. */
const FID_VARINT_BYTES = 5
/** A HealthCheckResponse that says SERVING. */
const SERVING = Uint8Array.of(8, 1)

/** Methods of the wire that are answered with "not implemented": there is one hub, which synchronizes with no other. */
type NotServed =
  | 'StopSync'
  | 'ForceSync'
  | 'GetAllSyncIdsByPrefix'
  | 'GetAllMessagesBySyncIds'
  | 'GetSyncMetadataByPrefix'
  | 'GetSyncSnapshotByPrefix'
  | 'GetTrieMetadataByPrefix'
  | 'StreamSync'

/** Every other method of the wire, one of an earlier version, and the health check: a name without an entry does not compile. */
export type MethodName =
  | Exclude<Capitalize<Extract<keyof (typeof HubService)['method'], string>>, NotServed>
  | 'GetConnectedPeers'
  | 'Check'

const allOf = (set: SetName): HubMethod =>
  list(
    FidTimestampRequestSchema,
    (reads, request) => allMessages(reads, request, MESSAGE_SETS[set]),
    ofAuthor,
  )

/** The reactions to the target of a request. */
const reactionsTo = (targetOf: (request: ReactionsByTargetRequest) => Target): HubMethod =>
  list(
    ReactionsByTargetRequestSchema,
    (reads, request) => {
      const target = targetOf(request)
      const type = readReactionType(request.reactionType)
      return (page) => reads.reactionsByTarget(target, type, page)
    },
    (versions, request) => {
      const type = readReactionType(request.reactionType)
      return versions.ofTargets(reactionTargets(targetOf(request), type))
    },
  )

const readChainEvents = (
  request: PageFields,
  call: Call,
  read: (page: PageRequest) => Promise<Page<StoredChainEvent>>,
) => readInBatches(readPage(request), read, ({ body }) => body.length, call)

export const HUB_METHODS: Readonly<Record<MethodName, HubMethod>> = {
  SubmitMessage: unary(
    {
      cost: { signatures: 1, writes: 1 },
      costOfRequest: costOfMessage,
      takesMessages: true,
      isSubmit: true,
    },
    async ({ hub, limits }, bytes, call) => {
      limits.checkSubmit(call)
      const [outcome] = await hub.submit([bytes], call.header(PATH_HEADER))
      if ('rejection' in outcome!) throw outcome.rejection
      return echoedMessage(bytes, envelopeOf(outcome!.message))
    },
  ),
  SubmitBulkMessages: unary(
    {
      cost: {},
      costOfRequest: costOfBulk,
      takesMessages: true,
      isSubmit: true,
    },
    async ({ hub, limits }, bytes, call) => {
      limits.checkSubmit(call, submitsIn(bytes))
      return submitBulk(hub, bytes, call.header(PATH_HEADER))
    },
  ),
  ValidateMessage: unary(
    { cost: { cpu: 'small', signatures: 1 }, costOfRequest: costOfMessage, takesMessages: true },
    async ({ hub }, bytes) => {
      const message = decodeMessage(bytes)
      const verdict = await hub.validate(message)
      const echoed = echoedMessage(bytes, message)
      if (verdict.valid) return validationResponse(true, echoed)
      return {
        bytes: validationResponse(false, echoed),
        trailers: errorTrailers(errCodeOf(verdict.reason)),
      }
    },
  ),

  GetEvent: get(LOOK_UP, EventRequestSchema, async (reads, { id, shardIndex }) => {
    checkShard(shardIndex, 'shard_index')
    return hubEventBytes(await reads.events.byId(readEventId(id)))
  }),
  GetEvents: get(
    PAGE,
    EventsRequestSchema,
    async (reads, request, call) => {
      checkShard(request.shardIndex, 'shard_index')
      const first = readEventId(request.startId)
      const before = request.stopId ? readEventId(request.stopId) : undefined
      return eventPage(reads, { first, before }, readPage(request, EVENTS_PER_PAGE), call)
    },
    (versions) => versions.ofStore(),
  ),
  Subscribe: {
    cost: LOOK_UP,
    of: (context) => ({ kind: 'serverStream', handle: subscribe(context) }),
  },

  GetCast: get(
    LOOK_UP,
    CastIdSchema,
    async (reads, request) => {
      const { fid, hash } = readCastId(request)
      return messageBytes(await reads.castById(fid, hash))
    },
    ofAuthor,
  ),
  GetCastsByFid: listOfFid(
    (reads, fid, page) => reads.castsByFid(fid, { includeRemoves: false }, page),
    ofAuthor,
  ),
  GetCastsByMention: listOfFid(
    (reads, fid, page) => reads.castsByMention(fid, page),
    (versions, { fid }) => versions.ofMentioned(Number(fid)),
  ),
  GetCastsByParent: list(
    CastsByParentRequestSchema,
    (reads, request) => {
      const parent = readParent(request.parent)
      return (page) => reads.castsByParent(parent, page)
    },
    (versions, { parent }) => versions.ofTargets([replyTarget(readParent(parent))]),
  ),

  GetReaction: get(
    LOOK_UP,
    ReactionRequestSchema,
    async (reads, request) => {
      const fid = readFid(request.fid)
      const type = requireType(readReactionType(request.reactionType), 'reaction_type')
      const target = readRequiredTarget(request.target)
      return messageBytes(await reads.reactionById(fid, type, target))
    },
    ofAuthor,
  ),
  GetReactionsByFid: list(
    ReactionsByFidRequestSchema,
    (reads, request) => {
      const fid = readFid(request.fid)
      const type = readReactionType(request.reactionType)
      return (page) => reads.reactionsByFid(fid, type, page)
    },
    ofAuthor,
  ),
  GetReactionsByCast: reactionsTo(({ target }) => {
    if (target.case === 'targetCastId') return readCastId(target.value)
    const text = 'fid is missing, hash is missing'
    throw new Rejection('bad_request.validation_failure', text, { field: 'target_cast_id' })
  }),
  GetReactionsByTarget: reactionsTo(({ target }) => readRequiredTarget(target)),

  GetUserData: get(
    LOOK_UP,
    UserDataRequestSchema,
    async (reads, { fid, userDataType }) =>
      messageBytes(await reads.userDataById(readFid(fid), userDataType)),
    ofAuthor,
  ),
  GetUserDataByFid: listOfFid((reads, fid, page) => reads.userDataByFid(fid, page), ofAuthor),
  GetUsernameProof: get(LOOK_UP, UsernameProofRequestSchema, async (reads, { name }) => {
    if (name.length === 0) {
      throw new Rejection('bad_request.invalid_param', 'name is missing', { field: 'name' })
    }
    return nameProofBytes(await reads.usernameProofByName(Buffer.from(name).toString()))
  }),
  GetUserNameProofsByFid: get(PAGE, FidRequestSchema, async (reads, { fid }) =>
    nameProofsResponse(await reads.usernameProofsByFid(readFid(fid))),
  ),
  GetVerification: get(
    LOOK_UP,
    VerificationRequestSchema,
    async (reads, { fid, address }) =>
      messageBytes(await reads.verificationByAddress(readFid(fid), address)),
    ofAuthor,
  ),
  GetVerificationsByFid: listOfFid(
    (reads, fid, page) => reads.verificationsByFid(fid, page),
    ofAuthor,
  ),

  GetLink: get(
    LOOK_UP,
    LinkRequestSchema,
    async (reads, request) => {
      const fid = readFid(request.fid)
      const type = requireType(readLinkType(request.linkType), 'link_type')
      const target = readFid(request.target.value, 'target_fid')
      return messageBytes(await reads.linkById(fid, type, target))
    },
    ofAuthor,
  ),
  GetLinksByFid: list(
    LinksByFidRequestSchema,
    (reads, request) => {
      const fid = readFid(request.fid)
      const type = readLinkType(request.linkType)
      return (page) => reads.linksByFid(fid, type, page)
    },
    ofAuthor,
  ),
  GetLinksByTarget: list(
    LinksByTargetRequestSchema,
    (reads, request) => {
      const target = readFid(request.target.value, 'target_fid')
      const type = readLinkType(request.linkType)
      return (page) => reads.linksByTarget(target, type, page)
    },
    (versions, { target }) =>
      versions.ofTargets([linksByTargetPrefix(readFid(target.value, 'target_fid'))]),
  ),
  GetLinkCompactStateMessageByFid: listOfFid(
    (reads, fid, page) => reads.messagesByFid(fid, MESSAGE_SETS.linkCompactState, {}, page),
    ofAuthor,
  ),

  GetAllCastMessagesByFid: allOf('casts'),
  GetAllReactionMessagesByFid: allOf('reactions'),
  GetAllVerificationMessagesByFid: allOf('verifications'),
  GetAllUserDataMessagesByFid: allOf('userData'),
  GetAllLinkMessagesByFid: allOf('links'),
  GetAllLendStorageMessagesByFid: allOf('storageLends'),
  StreamFetch: {
    cost: LOOK_UP,
    of: ({ reads, stopping }) => ({ kind: 'duplex', handle: streamFetch(reads, stopping) }),
  },

  GetOnChainSigner: get(LOOK_UP, SignerRequestSchema, async (reads, { fid, signer }) => {
    const key = readBytes(signer, KEY_BYTES, 'publicKey')
    return (await reads.onChainSigner(readFid(fid), key)).body
  }),
  GetOnChainSignersByFid: get(PAGE, FidRequestSchema, async (reads, request, call) => {
    const fid = readFid(request.fid)
    const read = (page: PageRequest) => reads.onChainSignersByFid(fid, page)
    return onChainEventResponse(await readChainEvents(request, call, read))
  }),
  GetOnChainEvents: get(PAGE, OnChainEventRequestSchema, async (reads, request, call) => {
    // Migrations are events of the whole network and have no fid.
    const isOfNetwork = request.eventType === OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED
    const fid = isOfNetwork && request.fid === 0n ? 0 : readFid(request.fid)
    const read = (page: PageRequest) => reads.onChainEventsByFid(fid, request.eventType, page)
    return onChainEventResponse(await readChainEvents(request, call, read))
  }),
  GetIdRegistryOnChainEvent: get(
    LOOK_UP,
    FidRequestSchema,
    async (reads, { fid }) => (await reads.idRegistryEventByFid(readFid(fid))).body,
  ),
  GetIdRegistryOnChainEventByAddress: get(
    LOOK_UP,
    IdRegistryEventByAddressRequestSchema,
    async (reads, request) => {
      const address = readBytes(request.address, ADDRESS_BYTES, 'address')
      return (await reads.idRegistryEventByAddress(address)).body
    },
  ),
  GetCurrentStorageLimitsByFid: get({ cpu: 'moderate' }, FidRequestSchema, async (reads, { fid }) =>
    storageLimitsResponse(await reads.storageLimitsByFid(readFid(fid))),
  ),
  GetFids: get(PAGE, FidsRequestSchema, async (reads, request, call) => {
    checkShard(request.shardId, 'shard_id')
    const read = (page: PageRequest) => reads.fids(page)
    return fidsResponse(await readInBatches(readPage(request), read, () => FID_VARINT_BYTES, call))
  }),
  GetSigner: get(LOOK_UP, SignerRequestSchema, async (reads, { fid, signer }) => {
    const key = readBytes(signer, KEY_BYTES, 'publicKey')
    return signerResponse(await reads.signer(readFid(fid), key))
  }),
  GetSignersByFid: get(PAGE, SignersByFidRequestSchema, async (reads, request) => {
    const { requesterFids } = request
    if (requesterFids.length > MAX_REQUESTER_FIDS) {
      const text = `requester_fids must have at most ${MAX_REQUESTER_FIDS} values`
      throw new Rejection('bad_request.invalid_param', text, { field: 'requester_fids' })
    }
    const apps = requesterFids.map((one) => readFid(one, 'requester_fids'))
    return signersResponse(await reads.signers(readFid(request.fid), readPage(request), apps))
  }),
  GetFidAddressType: get(LOOK_UP, FidAddressTypeRequestSchema, async (reads, { fid, address }) =>
    addressTypeResponse(await reads.addressUses(readFid(fid), address)),
  ),

  GetInfo: unary({ cost: LOOK_UP }, async ({ reads, path }, bytes) => {
    decodeRequest(HubInfoRequestSchema, bytes)
    // A mirror sees in it whether its source mirrors it.
    const trailers = { [PATH_HEADER]: await path() }
    return { bytes: infoResponse(await reads.info()), trailers }
  }),
  GetSyncStatus: unary({ cost: LOOK_UP }, async ({ reads }) =>
    syncStatusResponse(await reads.info()),
  ),
  // No peers: there is one hub.
  GetCurrentPeers: unary({ cost: LOOK_UP }, () => NO_BYTES),
  GetConnectedPeers: unary({ cost: LOOK_UP }, () => NO_BYTES),
  Check: unary({ cost: LOOK_UP }, () => SERVING),
}

const refusal = (refused: Rejection, hash: Uint8Array) => ({
  hash,
  errCode: errCodeOf(refused),
  message: refused.message,
})

/** What an answer may have besides the message that was sent: its field, or why it was refused. */
const ANSWER_OVERHEAD_BYTES = 512

async function submitBulk(
  hub: Hub,
  bytes: Uint8Array,
  path: string | undefined,
): Promise<Uint8Array> {
  const bodies = bulkBodies(bytes)
  const answerBytes = bytes.length + bodies.length * ANSWER_OVERHEAD_BYTES
  if (answerBytes > MAX_ANSWER_BYTES) {
    throw new Rejection(
      'bad_request.too_large',
      `the answer would exceed ${MAX_ANSWER_BYTES} bytes; send fewer messages at once`,
    )
  }
  const outcomes = await hub.submit(bodies, path)
  const inForm = (form: MessageForm) =>
    bulkResponse(
      outcomes.map((outcome, i) =>
        'rejection' in outcome
          ? refusal(outcome.rejection, outcome.head?.hash ?? NO_BYTES)
          : echoedMessage(bodies[i]!, envelopeOf(outcome.message), form),
      ),
    )
  const answer = inForm(MESSAGE_FORMS.both)
  // All clients read `data`; without `data_bytes` the answer is about as long as the request.
  return answer.length <= MAX_ANSWER_BYTES ? answer : inForm(MESSAGE_FORMS.data)
}
