import { limitParam } from '../../http/input/paging.ts'
import { described, type Param, withDefault, wordParam } from '../../http/input/params.ts'
import type { RequestInfo, Route } from '../../http/route.ts'
import type { AppContext } from '../context.ts'
import { viewRoute } from '../kit.ts'
import { channelIdParam, viewerParam } from '../params.ts'
import {
  CastsPageReply,
  type Channel,
  ChannelMembersReply,
  ChannelReply,
  FollowersReply,
  type User,
  UsersReply,
} from '../schemas.ts'
import type { Calls } from './calls.ts'
import { type ChannelScreen, ChannelScreenReply } from './schemas.ts'
import { SCREENS } from './tag.ts'

const LISTS = ['casts', 'members', 'followers'] as const
type List = (typeof LISTS)[number]
/** Moderators that the screen names. */
const MAX_MODERATORS = 20

/** The screen of a channel. */
export function channelScreen(context: AppContext, calls: Calls): Route {
  return viewRoute(context)(
    {
      path: '/screen/channel',
      summary: 'A channel with its moderators and one of its lists',
      description:
        'Lists go on with `/feed/channels`, `/channel/member/list` and `/channel/followers`.',
      tags: SCREENS,
      query: {
        id: channelIdParam,
        list: withDefault(described(wordParam(LISTS), 'Which list.'), 'casts') as Param<List>,
        viewer_fid: viewerParam,
        limit: limitParam({ default: 25, max: 50 }),
      },
      reply: ChannelScreenReply,
      errors: ['not_found'],
      cost: { cpu: 'medium', rows: 100 },
    },
    async ({ query: { id, list, limit, viewerFid }, request }) => {
      const viewer = { viewer_fid: viewerFid }
      const { channel } = await calls.get(request, '/channel', ChannelReply, { id, ...viewer })
      const [moderators, shown] = await Promise.all([
        moderatorsOf(calls, request, channel),
        listOf(calls, request, { id, list, limit, viewer }),
      ])
      return { channel, moderators, ...shown }
    },
  )
}

async function moderatorsOf(
  calls: Calls,
  request: RequestInfo,
  { lead, moderator_fids }: Channel,
): Promise<User[]> {
  const others = moderator_fids.filter((fid) => fid !== lead?.fid).slice(0, MAX_MODERATORS)
  const owner = lead ? [lead] : []
  if (others.length === 0) return owner
  const fids = others.join(',')
  return [...owner, ...(await calls.get(request, '/user/bulk', UsersReply, { fids })).users]
}

type ListRequest = {
  id: string
  list: List
  limit: number
  viewer: { viewer_fid: number | undefined }
}

async function listOf(
  calls: Calls,
  request: RequestInfo,
  { id, list, limit, viewer }: ListRequest,
): Promise<Pick<ChannelScreen, 'casts' | 'members' | 'people'>> {
  const values = { limit, ...viewer }
  switch (list) {
    case 'casts': {
      const given = { ...values, channel_ids: id }
      return { casts: await calls.get(request, '/feed/channels', CastsPageReply, given) }
    }
    case 'members': {
      const given = { limit, channel_id: id }
      return {
        members: await calls.get(request, '/channel/member/list', ChannelMembersReply, given),
      }
    }
    case 'followers': {
      const given = { ...values, id }
      return { people: await calls.get(request, '/channel/followers', FollowersReply, given) }
    }
  }
}
