import Type, { type Static } from 'typebox'
import { missingFault } from '../../http/faults.ts'
import {
  json,
  type Method,
  type RequestInfo,
  type Route,
  route,
  type Tag,
} from '../../http/route.ts'
import { Rejection, type RejectionCode } from '../../protocol/rejection.ts'
import type { StoredChannel } from '../../storage/tables/channels.ts'
import { Result, SUCCESS, Success } from '../schemas.ts'
import { CHANNEL_ROLES, CHANNELS } from '../tags.ts'
import type { Channels } from './channels.ts'
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

type ActorOf = (request: RequestInfo) => Promise<{ readonly fid: number }>
type Act<S extends Type.TSchema, A = unknown> = (fid: number, body: Static<S>) => Promise<A>
/** Method and path. */
type Call = `${Exclude<Method, 'GET'>} ${string}`
type Terms<S extends Type.TSchema> = {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly Tag[]
  readonly body: S
  readonly errors?: readonly RejectionCode[]
}

const ChannelReply = Result(Type.Object({ channel: Channel }))
const REFUSALS: readonly RejectionCode[] = ['unauthenticated', 'not_found']
const MAY_NOT: readonly RejectionCode[] = ['unauthorized', 'bad_request.conflict']

/** Writes of users. The token identifies the caller. A request for a state that already holds succeeds. */
export function channelWriteRoutes(channels: Channels, actorOf: ActorOf): Route[] {
  /** A route that responds with success only. */
  const write = <S extends Type.TSchema>(call: Call, terms: Terms<S>, act: Act<S>): Route =>
    route({ ...specOf(call, terms), reply: Success }, async ({ body, request }) => {
      const { fid } = await actorOf(request)
      await act(fid, body)
      return SUCCESS
    })
  /** A route that responds with the changed channel. */
  const shape = <S extends Type.TSchema>(
    call: Call,
    terms: Terms<S>,
    act: Act<S, StoredChannel>,
  ): Route =>
    route({ ...specOf(call, terms), reply: ChannelReply }, async ({ body, request }) => {
      const { fid } = await actorOf(request)
      return { result: { channel: channelJson(await act(fid, body)) } }
    })

  return [
    shape(
      'POST /fc/channels',
      {
        summary: 'Create a channel',
        description:
          'The caller owns it. The id cannot be changed, nor the url, which is the server’s usual one ' +
          'for the id unless given. The same call again answers the same channel.',
        tags: CHANNELS,
        body: NewChannel,
        errors: MAY_NOT,
      },
      channels.create,
    ),
    shape(
      'PATCH /fc/channels',
      {
        summary: 'Edit a channel',
        description:
          'Only the owner may. Absent properties do not change; null removes a value. `ownerFid` transfers the channel at ' +
          'once, without asking.',
        tags: CHANNELS,
        body: ChannelEdit,
        errors: MAY_NOT,
      },
      channels.edit,
    ),
    write(
      'POST /fc/channel-follows',
      {
        summary: 'Follow a channel',
        description:
          'Following a channel once more changes nothing. `channelKey` is another name for `channelId`; one of them is required.',
        tags: CHANNELS,
        body: WhichChannel,
      },
      (fid, body) => channels.follow(fid, idOf(body)),
    ),
    write(
      'DELETE /fc/channel-follows',
      {
        summary: 'Unfollow a channel',
        description:
          'Unfollowing a channel that the caller does not follow changes nothing. `channelKey` is another name for `channelId`; one of them is required.',
        tags: CHANNELS,
        body: WhichChannel,
      },
      (fid, body) => channels.unfollow(fid, idOf(body)),
    ),
    write(
      'POST /fc/channel-invites',
      {
        summary: 'Invite a user to be a member or a moderator',
        description:
          'Members by the owner and moderators; the invited must follow the channel or the caller. ' +
          'Moderators by the owner; the invited must be a member. 100 calls an hour and channel.',
        tags: CHANNEL_ROLES,
        body: InviteBody,
        errors: [...MAY_NOT, 'rate_limited'],
      },
      (fid, { channelId, inviteFid, role }) =>
        channels.invite(fid, { channelId, fid: inviteFid, role }),
    ),
    write(
      'DELETE /fc/channel-invites',
      {
        summary: 'Withdraw an invite, or remove a role',
        description:
          'A removed member is restricted; one who leaves, being the caller, is not. Counted with the ' +
          'invites.',
        tags: CHANNEL_ROLES,
        body: RemoveBody,
        errors: [...MAY_NOT, 'rate_limited'],
      },
      (fid, { channelId, removeFid, role }) =>
        channels.remove(fid, { channelId, fid: removeFid, role }),
    ),
    write(
      'PATCH /fc/channel-invites',
      {
        summary: 'Accept or decline an invite',
        description: 'By the invited user. An accepted invite gives the role at once.',
        tags: CHANNEL_ROLES,
        body: AnswerBody,
      },
      (fid, { channelId, role, accept }) => channels.answer({ channelId, fid, role }, accept),
    ),
    write(
      'POST /fc/channel-bans',
      {
        summary: 'Ban a user from a channel',
        description: 'The owner and moderators may ban users; only the owner may ban moderators.',
        tags: CHANNEL_ROLES,
        body: BanBody,
        errors: MAY_NOT,
      },
      (fid, { channelId, banFid }) => channels.ban(fid, channelId, banFid),
    ),
    write(
      'DELETE /fc/channel-bans',
      {
        summary: 'Lift a ban',
        description:
          'The user is restricted from then on. `banFid` is another name for `unbanFid`.',
        tags: CHANNEL_ROLES,
        body: UnbanBody,
        errors: ['unauthorized'],
      },
      (fid, { channelId, unbanFid, banFid }) =>
        channels.unban(fid, channelId, unbanFid ?? banFid ?? missing('unbanFid')),
    ),
    ...['/fc/moderated-casts', '/fc/moderate-cast'].map((path) =>
      write(
        `POST ${path}`,
        {
          summary: 'Hide a cast from its channel, or show it again',
          description: 'By those who moderate the channel that the cast’s thread began in.',
          tags: CHANNEL_ROLES,
          body: ModerateBody,
          errors: ['unauthorized'],
        },
        (fid, { castHash, action }) => channels.moderate(fid, castHash, action),
      ),
    ),
    write(
      'PUT /fc/pinned-casts',
      {
        summary: 'Pin a cast in its channel, replacing the pinned one',
        description:
          'This server sends no notifications, also when `notifyChannelFollowers` is true.',
        tags: CHANNEL_ROLES,
        body: PinBody,
        errors: ['unauthorized'],
      },
      (fid, { castHash }) => channels.pin(fid, castHash),
    ),
    write(
      'DELETE /fc/pinned-casts',
      {
        summary: 'Unpin a cast',
        description: 'Name the cast by `castHash`, or its channel by `channelId`, but not both.',
        tags: CHANNEL_ROLES,
        body: UnpinBody,
        errors: ['unauthorized'],
      },
      (fid, { castHash, channelId }) => {
        if (castHash !== undefined && channelId === undefined)
          return channels.unpinCast(fid, castHash)
        if (castHash === undefined && channelId !== undefined) {
          return channels.unpinChannel(fid, channelId)
        }
        const text = 'must have exactly one of castHash and channelId'
        throw new Rejection('bad_request.validation_failure', text)
      },
    ),
  ]
}

function specOf<S extends Type.TSchema>(call: Call, { errors = [], body, ...terms }: Terms<S>) {
  const [method, path] = call.split(' ') as [Method, string]
  return { ...terms, method, path, body: json(body), errors: [...REFUSALS, ...errors] }
}

const idOf = ({ channelId, channelKey }: Static<typeof WhichChannel>): string =>
  channelId ?? channelKey ?? missing('channelId')

function missing(field: string): never {
  throw new Rejection('bad_request.validation_failure', `${field} is missing`, {
    field,
    fault: missingFault(field),
  })
}
