import { pageOf, paging } from '../../http/input/paging.ts'
import {
  alias,
  boolParam,
  described,
  fidParam,
  optional,
  required,
  textParam,
} from '../../http/input/params.ts'
import { bind, type Route, route } from '../../http/route.ts'
import type { Cost } from '../../limits/cost.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { linksByTargetPrefix } from '../../protocol/slots.ts'
import { MAX_SCANNED_ROWS } from '../../storage/messages/messages.ts'
import { type HubContext, hubJson, ofAuthor, READ_ERRORS, versionsOf } from '../hub-route.ts'
import {
  hash,
  linkType,
  MAX_NAME_BYTES,
  reactionType,
  secondsBound,
  url,
  userDataType,
} from '../parameters.ts'
import { reactionTargets, replyTarget, type Target } from './reads.ts'
import { either, messageReply, messagesReply, nameProofReply, nameProofsReply } from './replies.ts'

/** Lists of an author leave messages that remove something out, and may look at many of them. */
const FILTERED: Cost = { scanned: MAX_SCANNED_ROWS }
/** Lists of many link types are read side by side. */
const MERGED: Cost = { decoded: MAX_SCANNED_ROWS }

const TAGS = [{ name: 'Messages', description: 'Messages and names.' }]

/** Routes that read messages and names. */
export const messageRoutes = (context: HubContext): Route[] =>
  bind(context, [
    castById,
    castsByFid,
    castsByParent,
    castsByMention,
    reactionById,
    reactionsByFid,
    reactionsByCast,
    reactionsByTarget,
    linkById,
    linksByFid,
    linksByTargetFid,
    userDataByFid,
    verificationsByFid,
    userNameProofByName,
    userNameProofsByFid,
  ])

const castById = route('GET /v1/castById', {
  callers: 'anyone',
  summary: 'One cast by author and hash',
  description:
    'Answers the message that added the cast; 404 when it does not exist or was removed.',
  version: ofAuthor,
  query: { fid: fidParam, hash },
  reply: hubJson(messageReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.castById(q.fid, q.hash),
})

const castsByFid = route('GET /v1/castsByFid', {
  callers: 'anyone',
  summary: 'Casts of an author',
  description:
    'Oldest first. The two timestamps bound the page, both included, in seconds since 2021-01-01; 0 is no bound.',
  costOfQuery: ({ includeRemoves }) => (includeRemoves ? {} : FILTERED),
  version: ofAuthor,
  query: {
    fid: fidParam,
    include_removes: described(boolParam, 'Whether to include the messages that removed casts.'),
    startTimestamp: secondsBound,
    stopTimestamp: secondsBound,
    ...paging,
  },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.castsByFid(
      q.fid,
      { includeRemoves: q.includeRemoves, from: q.startTimestamp, to: q.stopTimestamp },
      pageOf(q),
    ),
})

const castsByParent = route('GET /v1/castsByParent', {
  callers: 'anyone',
  summary: 'Replies to a cast or to a URL',
  description:
    'Name the parent by `fid` and `hash` of a cast, or by `url`. The cast counts when both are given.',
  version: (context: HubContext, q) => versionsOf(context)?.ofTargets([replyTarget(parentOf(q))]),
  query: { fid: optional(fidParam), hash: optional(hash), url: optional(url), ...paging },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) => reads.castsByParent(parentOf(q), pageOf(q)),
})

const castsByMention = route('GET /v1/castsByMention', {
  callers: 'anyone',
  summary: 'Casts that mention a fid',
  description: 'Oldest first.',
  version: (context: HubContext, { fid }) => versionsOf(context)?.ofMentioned(fid),
  query: { fid: fidParam, ...paging },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) => reads.castsByMention(q.fid, pageOf(q)),
})

const reactionById = route('GET /v1/reactionById', {
  callers: 'anyone',
  summary: 'One reaction by author, type and target',
  description: 'Name the target by `target_fid` and `target_hash` of a cast, or by `target_url`.',
  version: ofAuthor,
  query: {
    fid: fidParam,
    reaction_type: required(reactionType, 'targetId provided without type'),
    target_fid: optional(fidParam),
    target_hash: optional(hash),
    target_url: optional(url),
  },
  reply: hubJson(messageReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.reactionById(q.fid, q.reactionType, reactionTargetOf(q)),
})

const reactionsByFid = route('GET /v1/reactionsByFid', {
  callers: 'anyone',
  summary: 'Reactions of an author',
  description: 'Oldest first; of one type when `reaction_type` is given.',
  costOfQuery: () => FILTERED,
  version: ofAuthor,
  query: { fid: fidParam, reaction_type: optional(reactionType), ...paging },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.reactionsByFid(q.fid, q.reactionType, pageOf(q)),
})

const reactionsByCast = route('GET /v1/reactionsByCast', {
  callers: 'anyone',
  summary: 'Reactions to a cast',
  description: 'Oldest first; of one type when `reaction_type` is given.',
  version: (context: HubContext, q) =>
    versionsOf(context)?.ofTargets(reactionTargets(castOf(q), q.reactionType)),
  query: {
    target_fid: fidParam,
    target_hash: hash,
    reaction_type: optional(reactionType),
    ...paging,
  },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.reactionsByTarget(castOf(q), q.reactionType, pageOf(q)),
})

const reactionsByTarget = route('GET /v1/reactionsByTarget', {
  callers: 'anyone',
  summary: 'Reactions to a URL',
  description: 'Oldest first; of one type when `reaction_type` is given.',
  version: (context: HubContext, q) =>
    versionsOf(context)?.ofTargets(reactionTargets(q, q.reactionType)),
  query: {
    url: alias(url, 'target_url', 'targetUrl'),
    reaction_type: optional(reactionType),
    ...paging,
  },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.reactionsByTarget(q, q.reactionType, pageOf(q)),
})

const linkById = route('GET /v1/linkById', {
  callers: 'anyone',
  summary: 'One link by author, type and target',
  description:
    'Answers the message that added the link; 404 when it does not exist or was removed.',
  version: ofAuthor,
  query: {
    fid: fidParam,
    target_fid: fidParam,
    link_type: required(linkType, 'targetId provided without type'),
  },
  reply: hubJson(messageReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.linkById(q.fid, q.linkType, q.targetFid),
})

const linksByFid = route('GET /v1/linksByFid', {
  callers: 'anyone',
  summary: 'Links of an author',
  description:
    'Oldest first; of one type when `link_type` is given. A follow is a link of type `follow`.',
  costOfQuery: () => FILTERED,
  version: ofAuthor,
  query: { fid: fidParam, link_type: optional(linkType), ...paging },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) => reads.linksByFid(q.fid, q.linkType, pageOf(q)),
})

const linksByTargetFid = route('GET /v1/linksByTargetFid', {
  callers: 'anyone',
  summary: 'Links to a fid',
  description:
    'Oldest first; of one type when `link_type` is given. The followers of a user are the links of type `follow` to it.',
  costOfQuery: ({ linkType }) => (linkType === undefined ? MERGED : {}),
  version: (context: HubContext, q) =>
    versionsOf(context)?.ofTargets([linksByTargetPrefix(q.targetFid)]),
  query: { target_fid: fidParam, link_type: optional(linkType), ...paging },
  reply: hubJson(messagesReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    reads.linksByTarget(q.targetFid, q.linkType, pageOf(q)),
})

const userDataByFid = route('GET /v1/userDataByFid', {
  callers: 'anyone',
  summary: 'The profile of a fid',
  description:
    'One message for each field of the profile. With `user_data_type`, only the message of that field.',
  version: ofAuthor,
  query: { fid: fidParam, user_data_type: optional(userDataType), ...paging },
  reply: hubJson(either(messagesReply, messageReply)),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    q.userDataType === undefined
      ? reads.userDataByFid(q.fid, pageOf(q))
      : reads.userDataById(q.fid, q.userDataType),
})

const verificationsByFid = route('GET /v1/verificationsByFid', {
  callers: 'anyone',
  summary: 'Verified addresses of a fid',
  description: 'One message for each address. With `address`, only the message of that address.',
  version: ofAuthor,
  query: {
    fid: fidParam,
    address: optional(
      described(
        textParam({ maxBytes: 128 }),
        'An Ethereum address in 0x hex, or a Solana address in base58.',
      ),
    ),
    ...paging,
  },
  reply: hubJson(either(messagesReply, messageReply)),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'list',
  handler: ({ reads }: HubContext, { query: q }) =>
    q.address === undefined
      ? reads.verificationsByFid(q.fid, pageOf(q))
      : reads.verificationById(q.fid, q.address),
})

const userNameProofByName = route('GET /v1/userNameProofByName', {
  callers: 'anyone',
  summary: 'The proof of who holds a name',
  description: 'Names of the registry (`alice`) and ENS names (`alice.eth`).',
  query: {
    name: described(
      required(textParam({ maxBytes: MAX_NAME_BYTES }), 'fname is missing'),
      'A name of the registry or an ENS name.',
    ),
  },
  reply: hubJson(nameProofReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.usernameProofByName(q.name),
})

const userNameProofsByFid = route('GET /v1/userNameProofsByFid', {
  callers: 'anyone',
  summary: 'The proofs of the names of a fid',
  description: 'Names of the registry come first.',
  query: { fid: fidParam },
  reply: hubJson(nameProofsReply),
  tags: TAGS,
  errors: READ_ERRORS,
  cost: 'lookup',
  handler: ({ reads }: HubContext, { query: q }) => reads.usernameProofsByFid(q.fid),
})

/**
 * The parent that castsByParent asks for: a cast when both fid and hash are given, else the url. The
 * official guide for channels sends a fid beside the url.
 */
function parentOf({
  fid,
  hash,
  url,
}: {
  fid: number | undefined
  hash: Uint8Array | undefined
  url: string | undefined
}): Target {
  if (fid !== undefined && hash !== undefined) return { fid, hash }
  if (url !== undefined) return { url }
  const field = fid === undefined && hash === undefined ? 'url' : fid === undefined ? 'fid' : 'hash'
  throw new Rejection(
    'bad_request.invalid_param',
    'a parent is needed: fid and hash of a cast, or a url',
    { field },
  )
}

const castOf = (query: {
  readonly targetFid: number
  readonly targetHash: Uint8Array
}): Target => ({
  fid: query.targetFid,
  hash: query.targetHash,
})

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
