import Type from 'typebox'
import { json, type Method, type Route } from '../../http/route.ts'
import type { RejectionCode } from '../../protocol/rejection.ts'
import { appRoute } from '../kit.ts'
import { ChannelId, FidNumber, SignerUuid, SuccessReply } from './bodies.ts'
import { inFieldsOf, SUCCESS, type WritesContext } from './context.ts'

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
const COST = { cpu: 'small', writes: 2 } as const

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
export function platformRoutes(context: WritesContext): Route[] {
  const { platform, signers } = context

  const write = <S extends Type.TObject>(
    method: Method,
    path: string,
    terms: {
      summary: string
      description: string
      tags: typeof CHANNELS
      body: S
      errors?: readonly RejectionCode[]
    },
    act: (fid: number, body: Type.Static<S>) => Promise<void>,
  ): Route =>
    appRoute(
      {
        method,
        path,
        ...terms,
        body: json(terms.body),
        reply: SuccessReply,
        errors: [...ERRORS, ...(terms.errors ?? [])],
        cost: COST,
      },
      async ({ body, caller }) => {
        const { signer_uuid } = body as { signer_uuid: string }
        const { fid } = await signers.writingKey(caller.app.uuid, signer_uuid)
        await platform.checkMayAct(fid)
        await inFieldsOf(FIELDS, () => act(fid, body))
        return SUCCESS
      },
    )

  return [
    write(
      'POST',
      '/channel/follow',
      {
        summary: 'Follow a channel',
        description:
          'The call of the client platform. Following a channel once more changes nothing.',
        tags: CHANNELS,
        body: FollowBody,
      },
      (fid, { channel_id }) => platform.followChannel(fid, channel_id),
    ),
    write(
      'DELETE',
      '/channel/follow',
      {
        summary: 'Unfollow a channel',
        description:
          'The call of the client platform. It changes nothing for a channel that is not followed.',
        tags: CHANNELS,
        body: FollowBody,
      },
      (fid, { channel_id }) => platform.unfollowChannel(fid, channel_id),
    ),
    write(
      'POST',
      '/channel/member/invite',
      {
        summary: 'Invite a user to be a member or moderator',
        description: 'The call of the client platform, with its rules about invites.',
        tags: CHANNELS,
        body: MemberBody,
        errors: ['rate_limited'],
      },
      (actor, { channel_id: channelId, fid, role }) =>
        platform.invite(actor, { channelId, fid, role }),
    ),
    write(
      'PUT',
      '/channel/member/invite',
      {
        summary: 'Accept or decline an invite',
        description: 'The call of the client platform, by the invited user.',
        tags: CHANNELS,
        body: AnswerBody,
      },
      (fid, { channel_id: channelId, role, accept }) =>
        platform.answerInvite({ channelId, fid, role }, accept),
    ),
    write(
      'DELETE',
      '/channel/member',
      {
        summary: 'Remove a member or moderator, or withdraw an invite',
        description: 'The call of the client platform, with its rules about removals.',
        tags: CHANNELS,
        body: MemberBody,
        errors: ['rate_limited'],
      },
      (actor, { channel_id: channelId, fid, role }) =>
        platform.removeMember(actor, { channelId, fid, role }),
    ),
    write(
      'POST',
      '/block',
      {
        summary: 'Block a user',
        description: 'The call of the client platform. Blocking a user once more changes nothing.',
        tags: BLOCKS,
        body: BlockBody,
      },
      (fid, { blocked_fid }) => platform.block(fid, blocked_fid),
    ),
    write(
      'DELETE',
      '/block',
      {
        summary: 'Unblock a user',
        description:
          'The call of the client platform. It changes nothing for a user who is not blocked.',
        tags: BLOCKS,
        body: BlockBody,
      },
      (fid, { blocked_fid }) => platform.unblock(fid, blocked_fid),
    ),
  ]
}
