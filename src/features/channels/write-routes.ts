import Type, { type Static } from 'typebox'
import { missingFault } from '../../kernel/http/faults.ts'
import { type Call, json, type Route, route, type Tag } from '../../kernel/http/route.ts'
import { Result, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { Rejection, type RejectionCode } from '../../kernel/protocol/rejection.ts'
import type { Channels } from './channels.ts'
import { CHANNEL_ROLES, CHANNELS, type Needs } from './needs.ts'
import {
  AnswerBody,
  BanBody,
  Channel,
  ChannelEdit,
  channelJson,
  InviteBody,
  ModerateBody,
  NewChannel,
  PinBody,
  RemoveBody,
  UnbanBody,
  UnpinBody,
  WhichChannel,
} from './schemas.ts'
import type { StoredChannel } from './tables/channels.ts'

/** A write of users. */
type Write<S extends Type.TSchema, A> = {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly Tag[]
  readonly body: S
  readonly errors?: readonly RejectionCode[]
  /** `fid` is the caller, whom the token identifies. */
  act(channels: Channels, fid: number, body: Static<S>): Promise<A>
}

const ChannelReply = Result(Type.Object({ channel: Channel }))
const MAY_NOT: readonly RejectionCode[] = ['unauthorized', 'bad_request.conflict']

const termsOf = <S extends Type.TSchema>({
  act: _,
  errors = [],
  body,
  ...terms
}: Write<S, unknown>) =>
  ({
    ...terms,
    callers: 'user',
    body: json(body),
    errors: ['not_found', ...errors],
    cost: 'write',
  }) as const

/** Responds with success only. A request for a state that already holds succeeds. */
const write = <S extends Type.TSchema>(call: Call, declared: Write<S, unknown>) =>
  route(call, {
    ...termsOf(declared),
    reply: Success,
    handler: async ({ channels, context }: Needs, { body, request }) => {
      const { fid } = await context.actorOf(request)
      await declared.act(channels, fid, body)
      return SUCCESS
    },
  })

/** Responds with the changed channel. */
const shape = <S extends Type.TSchema>(call: Call, declared: Write<S, StoredChannel>) =>
  route(call, {
    ...termsOf(declared),
    reply: ChannelReply,
    handler: async ({ channels, context }: Needs, { body, request }) => {
      const { fid } = await context.actorOf(request)
      return { result: { channel: channelJson(await declared.act(channels, fid, body)) } }
    },
  })

const idOf = ({ channelId, channelKey }: Static<typeof WhichChannel>): string =>
  channelId ?? channelKey ?? missing('channelId')

function missing(field: string): never {
  throw new Rejection('bad_request.validation_failure', `${field} is missing`, {
    field,
    fault: missingFault(field),
  })
}

const createChannel = shape('POST /fc/channels', {
  summary: 'Create a channel',
  description:
    'The caller owns it. The id cannot be changed, nor the url, which is the server’s usual one ' +
    'for the id unless given. The same call again answers the same channel.',
  tags: CHANNELS,
  body: NewChannel,
  errors: MAY_NOT,
  act: (channels, fid, body) => channels.create(fid, body),
})

const editChannel = shape('PATCH /fc/channels', {
  summary: 'Edit a channel',
  description:
    'Only the owner may. Absent properties do not change; null removes a value. `ownerFid` transfers the channel at ' +
    'once, without asking.',
  tags: CHANNELS,
  body: ChannelEdit,
  errors: MAY_NOT,
  act: (channels, fid, body) => channels.edit(fid, body),
})

const follow = write('POST /fc/channel-follows', {
  summary: 'Follow a channel',
  description:
    'Following a channel once more changes nothing. `channelKey` is another name for `channelId`; one of them is required.',
  tags: CHANNELS,
  body: WhichChannel,
  act: (channels, fid, body) => channels.follow(fid, idOf(body)),
})

const unfollow = write('DELETE /fc/channel-follows', {
  summary: 'Unfollow a channel',
  description:
    'Unfollowing a channel that the caller does not follow changes nothing. `channelKey` is another name for `channelId`; one of them is required.',
  tags: CHANNELS,
  body: WhichChannel,
  act: (channels, fid, body) => channels.unfollow(fid, idOf(body)),
})

const invite = write('POST /fc/channel-invites', {
  summary: 'Invite a user to be a member or a moderator',
  description:
    'Members by the owner and moderators; the invited must follow the channel or the caller. ' +
    'Moderators by the owner; the invited must be a member. 100 calls an hour and channel.',
  tags: CHANNEL_ROLES,
  body: InviteBody,
  errors: [...MAY_NOT, 'rate_limited'],
  act: (channels, fid, { channelId, inviteFid, role }) =>
    channels.invite(fid, { channelId, fid: inviteFid, role }),
})

const removeInvite = write('DELETE /fc/channel-invites', {
  summary: 'Withdraw an invite, or remove a role',
  description:
    'A removed member is restricted; one who leaves, being the caller, is not. Counted with the ' +
    'invites.',
  tags: CHANNEL_ROLES,
  body: RemoveBody,
  errors: [...MAY_NOT, 'rate_limited'],
  act: (channels, fid, { channelId, removeFid, role }) =>
    channels.remove(fid, { channelId, fid: removeFid, role }),
})

const answerInvite = write('PATCH /fc/channel-invites', {
  summary: 'Accept or decline an invite',
  description: 'By the invited user. An accepted invite gives the role at once.',
  tags: CHANNEL_ROLES,
  body: AnswerBody,
  act: (channels, fid, { channelId, role, accept }) =>
    channels.answer({ channelId, fid, role }, accept),
})

const ban = write('POST /fc/channel-bans', {
  summary: 'Ban a user from a channel',
  description: 'The owner and moderators may ban users; only the owner may ban moderators.',
  tags: CHANNEL_ROLES,
  body: BanBody,
  errors: MAY_NOT,
  act: (channels, fid, { channelId, banFid }) => channels.ban(fid, channelId, banFid),
})

const unban = write('DELETE /fc/channel-bans', {
  summary: 'Lift a ban',
  description: 'The user is restricted from then on. `banFid` is another name for `unbanFid`.',
  tags: CHANNEL_ROLES,
  body: UnbanBody,
  errors: ['unauthorized'],
  act: (channels, fid, { channelId, unbanFid, banFid }) =>
    channels.unban(fid, channelId, unbanFid ?? banFid ?? missing('unbanFid')),
})

const moderate = (path: string) =>
  write(`POST ${path}`, {
    summary: 'Hide a cast from its channel, or show it again',
    description:
      'By those who moderate the channel that the cast’s thread began in. Who wrote the cast ends no report about it, and does ' +
      'not show it again when somebody else has hidden it.',
    tags: CHANNEL_ROLES,
    body: ModerateBody,
    errors: ['unauthorized'],
    act: (channels, fid, { castHash, action }) => channels.moderate(fid, castHash, action),
  })

const pin = write('PUT /fc/pinned-casts', {
  summary: 'Pin a cast in its channel, replacing the pinned one',
  description: 'This server sends no notifications, also when `notifyChannelFollowers` is true.',
  tags: CHANNEL_ROLES,
  body: PinBody,
  errors: ['unauthorized'],
  act: (channels, fid, { castHash }) => channels.pin(fid, castHash),
})

const unpin = write('DELETE /fc/pinned-casts', {
  summary: 'Unpin a cast',
  description: 'Name the cast by `castHash`, or its channel by `channelId`, but not both.',
  tags: CHANNEL_ROLES,
  body: UnpinBody,
  errors: ['unauthorized'],
  act: (channels, fid, { castHash, channelId }) => {
    if (castHash !== undefined && channelId === undefined) return channels.unpinCast(fid, castHash)
    if (castHash === undefined && channelId !== undefined) {
      return channels.unpinChannel(fid, channelId)
    }
    const text = 'must have exactly one of castHash and channelId'
    throw new Rejection('bad_request.validation_failure', text)
  },
})

/** Writes of users. */
export const channelWriteRoutes: readonly Route<Needs>[] = [
  createChannel,
  editChannel,
  follow,
  unfollow,
  invite,
  removeInvite,
  answerInvite,
  ban,
  unban,
  moderate('/fc/moderated-casts'),
  moderate('/fc/moderate-cast'),
  pin,
  unpin,
]
