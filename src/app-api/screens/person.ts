import { fromBinary } from '@bufbuild/protobuf'
import { limitParam } from '../../http/input/paging.ts'
import { described, type Param, withDefault, wordParam } from '../../http/input/params.ts'
import type { RequestInfo, Route } from '../../http/route.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { userDataSlot } from '../../protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../protocol/wire/message_pb.js'
import type { AppContext } from '../context.ts'
import { viewRoute } from '../kit.ts'
import { viewerParam } from '../params.ts'
import {
  CastsPageReply,
  FollowersReply,
  StorageUsageReply,
  type User,
  UserReactionsReply,
  UserReply,
  UsersReply,
} from '../schemas.ts'
import { usernameParam } from '../user-routes.ts'
import type { Calls } from './calls.ts'
import { changesOf, expiryOf, storagePeriod } from './names.ts'
import { type PersonScreen, PersonScreenReply } from './schemas.ts'
import { SCREENS } from './tag.ts'

const LISTS = ['casts', 'replies', 'likes', 'followers', 'following', 'names'] as const
type List = (typeof LISTS)[number]

/** The screen of an account. */
export function personScreen(context: AppContext, calls: Calls): Route {
  return viewRoute(context)(
    {
      path: '/screen/person',
      summary: 'Everything about a person, with one of their lists',
      description: 'Lists go on with `/feed/user/casts`, `/followers` and so on.',
      tags: SCREENS,
      query: {
        username: usernameParam,
        list: withDefault(described(wordParam(LISTS), 'Which list.'), 'casts') as Param<List>,
        viewer_fid: viewerParam,
        limit: limitParam({ default: 25, max: 50 }),
      },
      reply: PersonScreenReply,
      errors: ['not_found'],
      cost: { cpu: 'medium', rows: 100 },
    },
    async ({ query: { username, list, limit, viewerFid }, request }) => {
      const user = await userOf(calls, request, username, viewerFid)
      const { fid } = user
      const [usage, period, names, shown, score, website] = await Promise.all([
        calls.get(request, '/storage/usage', StorageUsageReply, { fid }),
        storagePeriod(context, fid),
        changesOf(context, { fid }),
        listOf(calls, request, list, { fid, limit, viewer_fid: viewerFid }),
        context.scores(),
        websiteOf(context, fid),
      ])
      return {
        user,
        ...(website && { website }),
        has_badge: score?.(fid) === 1,
        cast_count: usage.casts.used,
        cast_capacity: usage.casts.capacity,
        storage_expires_at: expiryOf(period),
        storage: period,
        names,
        ...shown,
      }
    },
  )
}

/** By username, or by `!<fid>` for those without one. */
async function userOf(
  calls: Calls,
  request: RequestInfo,
  username: string,
  viewer: number | undefined,
): Promise<User> {
  const [, fid] = /^!([1-9][0-9]{0,9})$/.exec(username) ?? []
  if (fid === undefined) {
    const values = { username, viewer_fid: viewer }
    return (await calls.get(request, '/user/by_username', UserReply, values)).user
  }
  const values = { fids: fid, viewer_fid: viewer }
  const [user] = (await calls.get(request, '/user/bulk', UsersReply, values)).users
  if (!user) throw new Rejection('not_found', `fid ${fid} is not registered`)
  return user
}

/** The website of a profile, which the app API of the deployed network does not have. */
async function websiteOf({ storage }: AppContext, fid: number): Promise<string | undefined> {
  const slot = userDataSlot(fid, UserDataType.USER_DATA_TYPE_URL)
  const [message] = await storage.published.messages.bySlots([slot])
  const { body } = message ? fromBinary(MessageDataSchema, message.data) : {}
  return body?.case === 'userDataBody' ? body.value.value : undefined
}

type ListValues = { fid: number; limit: number; viewer_fid: number | undefined }

async function listOf(
  calls: Calls,
  request: RequestInfo,
  list: List,
  values: ListValues,
): Promise<Pick<PersonScreen, 'casts' | 'reactions' | 'people'>> {
  const casts = (path: string, more: object) =>
    calls.get(request, path, CastsPageReply, { ...values, ...more })
  switch (list) {
    case 'names':
      return {}
    case 'casts':
      return { casts: await casts('/feed/user/casts', { include_replies: false }) }
    case 'replies':
      return { casts: await casts('/feed/user/replies_and_recasts', { filter: 'replies' }) }
    case 'likes':
      return {
        reactions: await calls.get(request, '/reactions/user', UserReactionsReply, {
          ...values,
          type: 'likes',
        }),
      }
    default:
      return { people: await calls.get(request, `/${list}`, FollowersReply, values) }
  }
}
