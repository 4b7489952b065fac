import { limitParam } from '../../http/input/paging.ts'
import { viewRead } from '../app-route.ts'
import { channel, channelFollowers, channelMembers } from '../channel-routes.ts'
import type { AppContext, Viewer } from '../context.ts'
import { channelFeed } from '../feed-routes.ts'
import { usersOf } from '../pages.ts'
import { channelIdParam, choiceParam, viewerParam } from '../params.ts'
import type { Channel, User } from '../schemas.ts'
import { type ChannelScreen, ChannelScreenReply, SCREENS } from './schemas.ts'

const LISTS = ['casts', 'members', 'followers'] as const
type List = (typeof LISTS)[number]
/** Moderators that the screen names. */
const MAX_MODERATORS = 20

/** The screen of a channel. */
export const channelScreen = viewRead(
  {
    path: '/screen/channel',
    summary: 'A channel with its moderators and one of its lists',
    description:
      'Lists go on with `/feed/channels`, `/channel/member/list` and `/channel/followers`.',
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
  },
  async (context, viewer, query) => {
    const found = await channel.answer(context, viewer, { id: query.id, type: 'id' })
    const [moderators, list] = await Promise.all([
      moderatorsOf(context, viewer, found.channel),
      listOf(context, viewer, query),
    ])
    return { ...found, moderators, ...list }
  },
)

async function moderatorsOf(
  context: AppContext,
  { app }: Viewer,
  { lead, moderator_fids }: Channel,
): Promise<User[]> {
  const others = moderator_fids.filter((fid) => fid !== lead?.fid).slice(0, MAX_MODERATORS)
  const owner = lead ? [lead] : []
  return [...owner, ...(await usersOf(context, { app, viewer: undefined }, others))]
}

async function listOf(
  context: AppContext,
  viewer: Viewer,
  { id, list, limit }: { id: string; list: List; limit: number },
): Promise<Pick<ChannelScreen, 'casts' | 'members' | 'people'>> {
  switch (list) {
    case 'casts': {
      const rules = { membersOnly: true, shouldModerate: false }
      const shown = { withRecasts: true, withReplies: false }
      const query = { channelIds: [id], ...rules, ...shown, limit }
      return { casts: await channelFeed.answer(context, viewer, query) }
    }
    case 'members': {
      const nobody = { app: viewer.app, viewer: undefined }
      const query = { channelId: id, limit }
      return { members: await channelMembers.answer(context, nobody, query) }
    }
    case 'followers':
      return { people: await channelFollowers.answer(context, viewer, { id, limit }) }
  }
}
