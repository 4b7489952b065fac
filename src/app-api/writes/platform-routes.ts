import Type from 'typebox'
import { json, type Route, type RouteSpec } from '../../http/route.ts'
import type { RejectionCode } from '../../protocol/rejection.ts'
import { appRoute } from '../app-route.ts'
import type { PlatformPort } from '../ports.ts'
import { inFieldsOf } from '../refusals.ts'
import { ChannelId, FidNumber, SignerUuid, SuccessReply } from './bodies.ts'
import { SUCCESS, type WritesContext } from './context.ts'

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
  [followChannel, unfollowChannel, invite, answerInvite, removeMember, block, unblock].map((of) =>
    of(context),
  )

type Terms<S> = Pick<RouteSpec, 'method' | 'path' | 'summary' | 'description' | 'tags'> & {
  readonly body: S
  readonly errors?: readonly RejectionCode[]
}

const platformRoute = <S extends Type.TObject<{ signer_uuid: Type.TString }>>(
  { body, errors = [], ...terms }: Terms<S>,
  act: (platform: PlatformPort, fid: number, body: Type.Static<S>) => Promise<void>,
) =>
  appRoute(
    {
      ...terms,
      body: json(body),
      reply: SuccessReply,
      errors: [...ERRORS, ...errors],
      cost: { cpu: 'small', writes: 2 },
    },
    async ({ signers, platform }: WritesContext, { body, app }) => {
      const { fid } = await signers.writingKey(app, body.signer_uuid)
      await platform.checkMayAct(fid)
      await inFieldsOf(FIELDS, () => act(platform, fid, body))
      return SUCCESS
    },
  )

const followChannel = platformRoute(
  {
    method: 'POST',
    path: '/channel/follow',
    summary: 'Follow a channel',
    description: 'The call of the client platform. Following a channel once more changes nothing.',
    tags: CHANNELS,
    body: FollowBody,
  },
  (platform, fid, { channel_id }) => platform.followChannel(fid, channel_id),
)

const unfollowChannel = platformRoute(
  {
    method: 'DELETE',
    path: '/channel/follow',
    summary: 'Unfollow a channel',
    description:
      'The call of the client platform. It changes nothing for a channel that is not followed.',
    tags: CHANNELS,
    body: FollowBody,
  },
  (platform, fid, { channel_id }) => platform.unfollowChannel(fid, channel_id),
)

const invite = platformRoute(
  {
    method: 'POST',
    path: '/channel/member/invite',
    summary: 'Invite a user to be a member or moderator',
    description: 'The call of the client platform, with its rules about invites.',
    tags: CHANNELS,
    body: MemberBody,
    errors: ['rate_limited'],
  },
  (platform, actor, { channel_id: channelId, fid, role }) =>
    platform.invite(actor, { channelId, fid, role }),
)

const answerInvite = platformRoute(
  {
    method: 'PUT',
    path: '/channel/member/invite',
    summary: 'Accept or decline an invite',
    description: 'The call of the client platform, by the invited user.',
    tags: CHANNELS,
    body: AnswerBody,
  },
  (platform, fid, { channel_id: channelId, role, accept }) =>
    platform.answerInvite({ channelId, fid, role }, accept),
)

const removeMember = platformRoute(
  {
    method: 'DELETE',
    path: '/channel/member',
    summary: 'Remove a member or moderator, or withdraw an invite',
    description: 'The call of the client platform, with its rules about removals.',
    tags: CHANNELS,
    body: MemberBody,
    errors: ['rate_limited'],
  },
  (platform, actor, { channel_id: channelId, fid, role }) =>
    platform.removeMember(actor, { channelId, fid, role }),
)

const block = platformRoute(
  {
    method: 'POST',
    path: '/block',
    summary: 'Block a user',
    description: 'The call of the client platform. Blocking a user once more changes nothing.',
    tags: BLOCKS,
    body: BlockBody,
  },
  (platform, fid, { blocked_fid }) => platform.block(fid, blocked_fid),
)

const unblock = platformRoute(
  {
    method: 'DELETE',
    path: '/block',
    summary: 'Unblock a user',
    description:
      'The call of the client platform. It changes nothing for a user who is not blocked.',
    tags: BLOCKS,
    body: BlockBody,
  },
  (platform, fid, { blocked_fid }) => platform.unblock(fid, blocked_fid),
)
