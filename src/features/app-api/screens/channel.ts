import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { castsOf, usersOf } from '../../../kernel/app-api/pages.ts'
import { channelIdParam, choiceParam, viewerParam } from '../../../kernel/app-api/params.ts'
import type { Channel, User } from '../../../kernel/app-api/schemas.ts'
import { limitParam } from '../../../kernel/http/input/paging.ts'
import { route } from '../../../kernel/http/route.ts'
import { fromHex } from '../../../kernel/protocol/codec/bytes.ts'
import { channelRows } from '../../channels/port.ts'
import { excludedUsers, hiddenCasts } from '../channels/channel-moderation-routes.ts'
import {
  channel,
  channelFollowers,
  channelInvites,
  channelMembers,
} from '../channels/channel-routes.ts'
import { channelFeed } from '../feed-routes.ts'
import { type ChannelScreen, ChannelScreenReply, SCREENS } from './schemas.ts'

const LISTS = [
  'casts',
  'members',
  'followers',
  'invites',
  'banned',
  'restricted',
  'hidden',
  'reported',
] as const
type List = (typeof LISTS)[number]
/** Moderators that the screen names. */
const MAX_MODERATORS = 20

/** The screen of a channel. */
export const channelScreen = route('GET /v2/farcaster/screen/channel', {
  callers: 'app',
  summary: 'A channel with its moderators, what it means to the viewer, and one of its lists',
  description:
    'Lists go on with `/feed/channels`, `/channel/member/list`, `/channel/followers`, `/channel/member/invite/list`, ' +
    '`/channel/excluded/list` and `/channel/hidden/list`. What is `reported` is in `/channel/report/list`, for moderators.',
  tags: SCREENS,
  query: {
    id: channelIdParam,
    list: choiceParam(LISTS, 'Which list.'),
    viewer_fid: viewerParam,
    limit: limitParam({ default: 25, max: 50 }),
  },
  reply: ChannelScreenReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const found = await channel.answer(context, { viewer, query: { id: query.id, type: 'id' } })
    const [stored, moderators, list, pinned, own] = await Promise.all([
      context.storage.of(channelRows).byId(query.id),
      moderatorsOf(context, viewer, found.channel),
      listOf(context, viewer, query),
      query.list === 'casts' ? pinnedOf(context, viewer, found.channel) : {},
      ownOf(context, viewer, query.id),
    ])
    const public_casting = stored?.public_casting === 1
    return { ...found, public_casting, moderators, ...list, ...pinned, ...own }
  },
})

async function moderatorsOf(
  context: AppContext,
  { app }: Viewer,
  { lead, moderator_fids }: Channel,
): Promise<User[]> {
  const others = moderator_fids.filter((fid) => fid !== lead?.fid).slice(0, MAX_MODERATORS)
  const owner = lead ? [lead] : []
  return [...owner, ...(await usersOf(context, { app, viewer: undefined }, others))]
}

async function pinnedOf(
  context: AppContext,
  viewer: Viewer,
  { pinned_cast_hash: hash }: Channel,
): Promise<Pick<ChannelScreen, 'pinned'>> {
  if (hash === undefined) return {}
  const keys = await context.storage.appViews.castKeysOfHashes([fromHex(hash)!])
  const [pinned] = await castsOf(context, viewer, keys)
  return pinned ? { pinned } : {}
}

/** The invite of the viewer, and whether the viewer is banned or restricted. */
async function ownOf(
  context: AppContext,
  { app, viewer }: Viewer,
  id: string,
): Promise<Pick<ChannelScreen, 'own_invite' | 'is_excluded'>> {
  if (viewer === undefined) return {}
  const nobody = { app, viewer: undefined }
  const [{ invites }, membership] = await Promise.all([
    channelInvites.answer(context, {
      viewer: nobody,
      query: { channelId: id, invitedFid: viewer, limit: 1 },
    }),
    context.storage.of(channelRows).membership(id, viewer),
  ])
  const [invite] = invites
  const standing = membership?.standing ?? 'member'
  return {
    ...(invite && { own_invite: invite }),
    ...(standing !== 'member' && { is_excluded: standing }),
  }
}

type Lists = Omit<
  ChannelScreen,
  'channel' | 'public_casting' | 'moderators' | 'pinned' | 'own_invite' | 'is_excluded'
>

async function listOf(
  context: AppContext,
  viewer: Viewer,
  { id, list, limit }: { id: string; list: List; limit: number },
): Promise<Lists> {
  const ofChannel = { channelId: id, limit }
  // Lists of people are the same for everybody: who moderates sees those whom they mute, too.
  const nobody = { app: viewer.app, viewer: undefined }
  switch (list) {
    case 'casts': {
      const rules = { membersOnly: true, shouldModerate: false }
      const shown = { withRecasts: true, withReplies: false }
      const query = { channelIds: [id], ...rules, ...shown, limit }
      return { casts: await channelFeed.answer(context, { viewer, query }) }
    }
    case 'members':
      return { members: await channelMembers.answer(context, { viewer: nobody, query: ofChannel }) }
    case 'followers':
      return { people: await channelFollowers.answer(context, { viewer, query: { id, limit } }) }
    case 'invites':
      return { invites: await channelInvites.answer(context, { viewer: nobody, query: ofChannel }) }
    case 'hidden':
      return { hidden: await hiddenCasts.answer(context, { viewer, query: ofChannel }) }
    case 'reported':
      return {}
    case 'banned':
    case 'restricted': {
      const query = { ...ofChannel, standing: list }
      return { [list]: await excludedUsers.answer(context, { viewer: nobody, query }) }
    }
  }
}
