import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { sliceOf, usersOf } from '../../kernel/app-api/pages.ts'
import {
  boundedParam,
  latitudeParam,
  longitudeParam,
  viewerParam,
} from '../../kernel/app-api/params.ts'
import { type User, UsersPageReply, UsersReply } from '../../kernel/app-api/schemas.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { placeToken, xAccountToken } from '../../kernel/views/words.ts'
import { tokenMatch } from './search-filters.ts'

const USERS = [{ name: 'Users', description: 'Profiles with counts, addresses and storage.' }]

/** Users of one place that are compared. */
const MAX_NEAR = 500
/** No username begins with it. */
const NO_NAME = '\uffff'
const MAX_X_CHARACTERS = 15
const MAX_SAME_ACCOUNT = 100

/** Routes that find users by what their profiles say. */
export const userLookupRoutes = (context: AppContext): Route[] =>
  bind(context, [byXUsername, byLocation])

const byXUsername = route('GET /v2/farcaster/user/by_x_username', {
  callers: 'app',
  summary: 'Users whose profiles name an account at X',
  description: 'Those with the most followers first. Nobody asks X whether the account is theirs.',
  tags: USERS,
  limit: 'search',
  query: {
    x_username: boundedParam(MAX_X_CHARACTERS + 1, 'A username at X; an @ before it is ignored.'),
    viewer_fid: viewerParam,
  },
  reply: UsersReply,
  cost: { cpu: 'medium', rows: MAX_SAME_ACCOUNT },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { xUsername } }) => {
    const username = xUsername.replace(/^@/, '')
    if (!/^[A-Za-z0-9_]{1,15}$/.test(username)) return { users: [] }
    const fids = await context.search.usersWithWords({
      name: NO_NAME,
      match: tokenMatch(xAccountToken(username)),
      viewer,
      limit: MAX_SAME_ACCOUNT,
      offset: 0,
    })
    return { users: await usersOf(context, viewer, fids) }
  },
})

const byLocation = route('GET /v2/farcaster/user/by_location', {
  callers: 'app',
  summary: 'Users near a place',
  description:
    'The nearest first, of those whose profile names a place at most one degree of latitude and longitude away; ' +
    `of the ${MAX_NEAR} of them with the most followers.`,
  tags: USERS,
  limit: 'search',
  query: {
    latitude: latitudeParam,
    longitude: longitudeParam,
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'n'),
  },
  reply: UsersPageReply,
  cost: { cpu: 'large', rows: MAX_NEAR },
  errors: [],
  from: VIEWS,
  handler: async (
    context,
    { viewer, query: { latitude, longitude, limit, cursor: [offset] = [0] } },
  ) => {
    const squares = [-1, 0, 1].flatMap((north) => {
      const row = Math.min(90, Math.max(-90, latitude + north))
      return [-1, 0, 1].map((east) => tokenMatch(placeToken(row, longitude + east)))
    })
    const fids = await context.search.usersWithWords({
      name: NO_NAME,
      match: { kind: 'or', parts: squares },
      viewer,
      limit: MAX_NEAR,
      offset: 0,
    })
    const near = (await usersOf(context, viewer, fids))
      .map((user) => ({ user, distance: distanceOf(user, latitude, longitude) }))
      .filter(({ distance }) => distance !== undefined)
      .sort((a, b) => a.distance! - b.distance! || a.user.fid - b.user.fid)
    const { items, next } = sliceOf(near, offset, limit)
    return {
      users: items.map(({ user }) => user),
      next: nextOf(next === undefined ? undefined : [next]),
    }
  },
})

const RADIANS = Math.PI / 180

/** The angle between a place and that of a user; undefined when it is more than a degree away in one direction. */
function distanceOf({ profile }: User, latitude: number, longitude: number): number | undefined {
  if (!profile.location) return undefined
  const north = profile.location.latitude - latitude
  const across = Math.abs(profile.location.longitude - longitude)
  const east = Math.min(across, 360 - across)
  if (Math.abs(north) > 1 || east > 1) return undefined
  return Math.hypot(north, east * Math.cos(latitude * RADIANS))
}
