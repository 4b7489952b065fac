import { fromBinary } from '@bufbuild/protobuf'
import { VIEWS } from '../../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { choiceParam, viewerParam } from '../../../kernel/app-api/params.ts'
import type { User } from '../../../kernel/app-api/schemas.ts'
import { limitParam } from '../../../kernel/http/input/paging.ts'
import { fidParam } from '../../../kernel/http/input/params.ts'
import { route } from '../../../kernel/http/route.ts'
import { userDataSlot } from '../../../kernel/protocol/slots.ts'
import { MessageDataSchema, UserDataType } from '../../../kernel/protocol/wire/message_pb.js'
import { scopeOf } from '../../mirror/port.ts'
import { repliesAndRecasts, userCasts } from '../feed-routes.ts'
import { followers, following, userReactions } from '../graph-routes.ts'
import { getUser, storageUsage, userByUsername, usernameParam } from '../user-routes.ts'
import { changesOf, expiryOf, storagePeriod } from './names.ts'
import { type PersonScreen, PersonScreenReply, SCREENS } from './schemas.ts'

const LISTS = ['casts', 'replies', 'likes', 'followers', 'following', 'names'] as const
type List = (typeof LISTS)[number]

/** The screen of an account. */
export const personScreen = route('GET /v2/farcaster/screen/person', {
  callers: 'app',
  summary: 'Everything about a person, with one of their lists',
  description: 'Lists go on with `/feed/user/casts`, `/followers` and so on.',
  tags: SCREENS,
  query: {
    username: usernameParam,
    list: choiceParam(LISTS, 'Which list.'),
    viewer_fid: viewerParam,
    limit: limitParam({ default: 25, max: 50 }),
  },
  reply: PersonScreenReply,
  errors: ['not_found'],
  cost: { cpu: 'medium', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query: { username, list, limit } }) => {
    const user = await userOf(context, viewer, username)
    const { fid } = user
    const nobody = { app: viewer.app, viewer: undefined }
    const [usage, hidden, period, names, shown, score, website, mirrored] = await Promise.all([
      storageUsage.answer(context, { viewer: nobody, query: { fid } }),
      context.storage.moderation.hiddenCastCount(fid),
      storagePeriod(context, fid),
      changesOf(context, { fid }),
      listOf(context, viewer, list, { fid, limit }),
      context.scores(),
      websiteOf(context, fid),
      scopeOf(context.storage, fid),
    ])
    return {
      user,
      ...(mirrored && { mirrored }),
      ...(website && { website }),
      has_badge: score?.(fid) === 1,
      cast_count: usage.casts.used - hidden,
      cast_capacity: usage.casts.capacity,
      storage_expires_at: expiryOf(period),
      storage: period,
      names,
      ...shown,
    }
  },
})

/** By username, or by `!<fid>` for those without one. */
async function userOf(context: AppContext, viewer: Viewer, username: string): Promise<User> {
  const [, digits] = /^!([1-9][0-9]{0,9})$/.exec(username) ?? []
  if (digits === undefined) {
    return (await userByUsername.answer(context, { viewer, query: { username } })).user
  }
  const fid = fidParam.parse(digits, 'username')
  return getUser(context, viewer, fid, `fid ${fid} is not registered`)
}

/** The website of a profile, which is not part of a User of the deployed API. */
async function websiteOf({ storage }: AppContext, fid: number): Promise<string | undefined> {
  const slot = userDataSlot(fid, UserDataType.USER_DATA_TYPE_URL)
  const [message] = await storage.published.messages.bySlots([slot])
  const { body } = message ? fromBinary(MessageDataSchema, message.data) : {}
  return body?.case === 'userDataBody' ? body.value.value : undefined
}

async function listOf(
  context: AppContext,
  viewer: Viewer,
  list: List,
  query: { fid: number; limit: number },
): Promise<Pick<PersonScreen, 'casts' | 'reactions' | 'people'>> {
  switch (list) {
    case 'names':
      return {}
    case 'casts':
      return {
        casts: await userCasts.answer(context, {
          viewer,
          query: { ...query, includeReplies: false },
        }),
      }
    case 'replies':
      return {
        casts: await repliesAndRecasts.answer(context, {
          viewer,
          query: { ...query, filter: 'replies' },
        }),
      }
    case 'likes':
      return {
        reactions: await userReactions.answer(context, {
          viewer,
          query: { ...query, type: ['likes'] },
        }),
      }
    default: {
      const { answer } = list === 'followers' ? followers : following
      return {
        people: await answer(context, { viewer, query: { ...query, sortType: 'desc_chron' } }),
      }
    }
  }
}
