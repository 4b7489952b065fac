import { pageOf, paging } from '../http/paging.ts'
import {
  alias,
  boolParam,
  described,
  fidParam,
  optional,
  required,
  textParam,
} from '../http/params.ts'
import type { Route } from '../http/route.ts'
import { Rejection } from '../protocol/rejection.ts'
import { either, type JsonPresenter } from './json-presenter.ts'
import {
  eventId,
  getter,
  hash,
  linkType,
  MAX_NAME_BYTES,
  reactionType,
  seconds,
  url,
  userDataType,
} from './parameters.ts'
import type { HubReads, Target } from './reads.ts'

/** Routes that read messages, names and events. */
export function messageRoutes(reads: HubReads, json: JsonPresenter): Route[] {
  const get = getter(['messages'])
  return [
    get('/v1/castById', 'One cast by author and hash', { fid: fidParam, hash }, json.message, (q) =>
      reads.castById(q.fid, q.hash),
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
      json.messages,
      (q) =>
        reads.castsByFid(
          q.fid,
          { includeRemoves: q.includeRemoves, from: q.startTimestamp, to: q.stopTimestamp },
          pageOf(q),
        ),
    ),
    get(
      '/v1/castsByParent',
      'Replies to a cast (fid and hash) or to a url; fid and hash count when both are there',
      { fid: optional(fidParam), hash: optional(hash), url: optional(url), ...paging },
      json.messages,
      (q) => reads.castsByParent(parentOf(q), pageOf(q)),
    ),
    get(
      '/v1/castsByMention',
      'Casts that mention a fid',
      { fid: fidParam, ...paging },
      json.messages,
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
      json.message,
      (q) => reads.reactionById(q.fid, q.reactionType, reactionTargetOf(q)),
    ),
    get(
      '/v1/reactionsByFid',
      'Reactions of an author',
      { fid: fidParam, reaction_type: optional(reactionType), ...paging },
      json.messages,
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
      json.messages,
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
      json.messages,
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
      json.message,
      (q) => reads.linkById(q.fid, q.linkType, q.targetFid),
    ),
    get(
      '/v1/linksByFid',
      'Links of an author',
      { fid: fidParam, link_type: optional(linkType), ...paging },
      json.messages,
      (q) => reads.linksByFid(q.fid, q.linkType, pageOf(q)),
    ),
    get(
      '/v1/linksByTargetFid',
      'Links to a fid',
      { target_fid: fidParam, link_type: optional(linkType), ...paging },
      json.messages,
      (q) => reads.linksByTarget(q.targetFid, q.linkType, pageOf(q)),
    ),
    get(
      '/v1/userDataByFid',
      'The profile of a fid; with a type, that one message',
      { fid: fidParam, user_data_type: optional(userDataType), ...paging },
      either(json.messages, json.message),
      (q) =>
        q.userDataType === undefined
          ? reads.userDataByFid(q.fid, pageOf(q))
          : reads.userDataById(q.fid, q.userDataType),
    ),
    get(
      '/v1/verificationsByFid',
      'Verified addresses of a fid; with an address, that one message',
      { fid: fidParam, address: optional(textParam({ maxBytes: 128 })), ...paging },
      either(json.messages, json.message),
      (q) =>
        q.address === undefined
          ? reads.verificationsByFid(q.fid, pageOf(q))
          : reads.verificationById(q.fid, q.address),
    ),
    get(
      '/v1/userNameProofByName',
      'Who holds a name',
      { name: required(textParam({ maxBytes: MAX_NAME_BYTES }), 'fname is missing') },
      json.nameProof,
      (q) => reads.usernameProofByName(q.name),
    ),
    get(
      '/v1/userNameProofsByFid',
      'The names a fid holds, registry names first',
      { fid: fidParam },
      json.nameProofs,
      (q) => reads.usernameProofsByFid(q.fid),
    ),
    get(
      '/v1/eventById',
      'One event of the last three days',
      { event_id: alias(eventId, 'id') },
      json.event,
      (q) => reads.eventById(q.eventId),
    ),
    get(
      '/v1/events',
      'Events in order of id, from an id on; continue with nextPageEventId',
      { from_event_id: optional(eventId) },
      json.events,
      (q) => reads.events(q.fromEventId ?? 0),
    ),
  ]
}

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
