import Type from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import {
  ChannelId,
  FidNumber,
  SignerUuid,
  SUCCESS,
  SuccessReply,
} from '../../../kernel/app-api/bodies.ts'
import type { WritingKey } from '../../../kernel/app-api/ports.ts'
import { inFieldsOf } from '../../../kernel/app-api/refusals.ts'
import {
  type Answer,
  bind,
  type Call,
  json,
  jsonAnswer,
  type Method,
  type Route,
  type RouteSpec,
  route,
} from '../../../kernel/http/route.ts'
import { BLOCK_LINK_TYPE } from '../../../kernel/protocol/block-links.ts'
import { linkAdd, linkRemove } from '../../../kernel/protocol/build.ts'
import { Rejection, type RejectionCode } from '../../../kernel/protocol/rejection.ts'
import type { PlatformPort } from '../ports.ts'
import { answerWrite, MESSAGE_COST, MESSAGE_ERRORS, type WritesContext } from './context.ts'
import type { Build } from './publisher.ts'

const CHANNELS = [{ name: 'Channels', description: 'Channels, their followers and members.' }]
const BLOCKS = [
  { name: 'Blocks and mutes', description: 'What users and apps do not want to see.' },
]

const ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'bad_request.conflict',
  'unauthorized',
  'unreadable_secret',
  'unauthorized.suspended',
  'not_found',
]

/** The platform's fields as callers know them. */
const FIELDS = {
  channelId: 'channel_id',
  inviteFid: 'fid',
  removeFid: 'fid',
  blockFid: 'blocked_fid',
  unblockFid: 'blocked_fid',
}

const Role = Type.Union([Type.Literal('member'), Type.Literal('moderator')])
const FollowBody = Type.Object({ signer_uuid: SignerUuid, channel_id: ChannelId })
const MemberBody = Type.Object({
  signer_uuid: SignerUuid,
  channel_id: ChannelId,
  fid: FidNumber,
  role: Role,
})
const AnswerBody = Type.Object({
  signer_uuid: SignerUuid,
  channel_id: ChannelId,
  role: Role,
  accept: Type.Boolean(),
})
const BlockBody = Type.Object({ signer_uuid: SignerUuid, blocked_fid: FidNumber })

/** What users do on the client platform, which decides as for its own clients. */
export const platformRoutes = (context: WritesContext): Route[] =>
  bind(context, [
    followChannel,
    unfollowChannel,
    invite,
    answerInvite,
    removeMember,
    block,
    unblock,
  ])

type Terms<S> = Pick<RouteSpec, 'summary' | 'description' | 'tags'> & {
  readonly body: S
  readonly errors?: readonly RejectionCode[]
}

const bySigner = <S extends Type.TObject<{ signer_uuid: Type.TString }>>(
  call: Call,
  { body, errors = [], ...terms }: Terms<S>,
  act: (platform: PlatformPort, fid: number, body: Type.Static<S>) => Promise<void>,
) =>
  route(call, {
    callers: 'app',
    ...terms,
    body: json(body),
    reply: SuccessReply,
    errors: [...ERRORS, ...errors],
    cost: 'write',
    handler: async ({ signers, platform }: WritesContext, { body, request }) => {
      const { fid } = await signers.writingKey(appOf(request), body.signer_uuid)
      await platform.checkMayAct(fid)
      await inFieldsOf(FIELDS, () => act(platform, fid, body))
      return SUCCESS
    },
  })

const followChannel = bySigner(
  'POST /v2/farcaster/channel/follow',
  {
    summary: 'Follow a channel',
    description: 'The call of the client platform. Following a channel once more changes nothing.',
    tags: CHANNELS,
    body: FollowBody,
  },
  (platform, fid, { channel_id }) => platform.followChannel(fid, channel_id),
)

const unfollowChannel = bySigner(
  'DELETE /v2/farcaster/channel/follow',
  {
    summary: 'Unfollow a channel',
    description:
      'The call of the client platform. It changes nothing for a channel that is not followed.',
    tags: CHANNELS,
    body: FollowBody,
  },
  (platform, fid, { channel_id }) => platform.unfollowChannel(fid, channel_id),
)

const invite = bySigner(
  'POST /v2/farcaster/channel/member/invite',
  {
    summary: 'Invite a user to be a member or moderator',
    description: 'The call of the client platform, with its rules about invites.',
    tags: CHANNELS,
    body: MemberBody,
    errors: ['rate_limited'],
  },
  (platform, actor, { channel_id: channelId, fid, role }) =>
    platform.invite(actor, { channelId, fid, role }),
)

const answerInvite = bySigner(
  'PUT /v2/farcaster/channel/member/invite',
  {
    summary: 'Accept or decline an invite',
    description: 'The call of the client platform, by the invited user.',
    tags: CHANNELS,
    body: AnswerBody,
  },
  (platform, fid, { channel_id: channelId, role, accept }) =>
    platform.answerInvite({ channelId, fid, role }, accept),
)

const removeMember = bySigner(
  'DELETE /v2/farcaster/channel/member',
  {
    summary: 'Remove a member or moderator, or withdraw an invite',
    description: 'The call of the client platform, with its rules about removals.',
    tags: CHANNELS,
    body: MemberBody,
    errors: ['rate_limited'],
  },
  (platform, actor, { channel_id: channelId, fid, role }) =>
    platform.removeMember(actor, { channelId, fid, role }),
)

const blockRoute = (
  method: Method,
  terms: Pick<RouteSpec, 'summary' | 'description'>,
  act: (context: WritesContext, key: WritingKey, blocked: number) => Promise<Answer>,
) =>
  route(`${method} /v2/farcaster/block`, {
    callers: 'app',
    ...terms,
    tags: BLOCKS,
    body: json(BlockBody),
    reply: SuccessReply,
    errors: [...new Set([...ERRORS, ...MESSAGE_ERRORS])],
    cost: { ...MESSAGE_COST, writes: 3 },
    handler: async (context: WritesContext, { body, request }) => {
      const key = await context.signers.writingKey(appOf(request), body.signer_uuid)
      await context.platform.checkMayAct(key.fid)
      return inFieldsOf(FIELDS, () => act(context, key, body.blocked_fid))
    },
  })

const block = blockRoute(
  'POST',
  {
    summary: 'Block a user',
    description:
      'The call of the client platform, and a link of type `block`, which other hubs and clients know. Blocking a user ' +
      'once more changes nothing. When the key may not sign the link, or the hub refuses it, the user is blocked on this ' +
      'server only, and `message` says why.',
  },
  async (context, key, blocked) => {
    await context.platform.block(key.fid, blocked)
    const [pair] = await blocksAmong(context, key.fid, blocked)
    if (pair?.link_at != null) return jsonAnswer(SUCCESS)
    const build: Build = (origin) => linkAdd(origin, BLOCK_LINK_TYPE, blocked)
    const [outcome] = await context.publisher.publishAll(key, [build])
    if (!(outcome instanceof Rejection)) return answerWrite(context, [outcome!], SUCCESS)
    const message = `blocked on this server only, because the hub refused the link: ${outcome.message}`
    return jsonAnswer({ ...SUCCESS, message })
  },
)

const unblock = blockRoute(
  'DELETE',
  {
    summary: 'Unblock a user',
    description:
      'Removes the link of type `block`, if there is one, and the block of the client platform. It changes nothing for a ' +
      'user who is not blocked.',
  },
  async (context, key, blocked) => {
    const [pair] = await blocksAmong(context, key.fid, blocked)
    const removed =
      pair?.link_at == null
        ? []
        : [
            await context.publisher.publish(key, (origin) =>
              linkRemove(origin, BLOCK_LINK_TYPE, blocked),
            ),
          ]
    await context.platform.unblock(key.fid, blocked)
    return answerWrite(context, removed, SUCCESS)
  },
)

const blocksAmong = ({ storage }: WritesContext, blocker: number, blocked: number) =>
  storage.blocks.among([{ blocker, blocked }])
