import { fromBinary } from '@bufbuild/protobuf'
import { VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import { nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { hydrate } from '../../kernel/app-api/objects/hydrate.ts'
import { sliceOf, visibleTo } from '../../kernel/app-api/pages.ts'
import { wordsParam } from '../../kernel/app-api/params.ts'
import { BestFriendsReply, InteractionsReply } from '../../kernel/app-api/schemas.ts'
import { fidParam, fidsParam, optional } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { DAY_SECONDS, networkTime } from '../../kernel/protocol/time.ts'
import { MessageDataSchema, MessageType } from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import { MAX_PAGE_SIZE } from '../../kernel/storage/reads/page.ts'
import {
  ALL_NOTICE_KINDS,
  NOTICE_GROUPS,
  NOTICE_KINDS,
  noticeKindOf,
} from '../../kernel/storage/views/notice-kinds.ts'
import { kindsOf, notificationsPage } from './notifications.ts'

const INTERACTIONS = [{ name: 'Interactions', description: 'What users did to each other.' }]

/** Notifications of each of the two users. */
const MAX_INTERACTIONS = 25
/** Notices of a user that are looked at for friends, and newest messages of each kind. */
const MAX_NOTICES = 2_000
const NOTICE_SECONDS = 60 * DAY_SECONDS
/** The kinds of notices that count for the affinity. */
const COUNTED = ALL_NOTICE_KINDS.filter(({ affinity }) => affinity > 0)
/** What a reply, quote or mention counts. */
const CAST_POINTS = NOTICE_KINDS.reply.affinity
const MAX_FRIENDS = 1_000

/** Routes of interactions. */
export const interactionRoutes = (context: AppContext): Route[] =>
  bind(context, [interactions, bestFriends])

const interactions = route('GET /v2/farcaster/user/interactions', {
  callers: 'app',
  summary: 'What two users did to each other',
  description: `As notifications of either of them, the newest first: ${MAX_INTERACTIONS} of each, of the last 60 days.`,
  tags: INTERACTIONS,
  query: {
    fids: fidsParam(2),
    type: optional(wordsParam(NOTICE_GROUPS, 'Only of these kinds.')),
  },
  reply: InteractionsReply,
  cost: { cpu: 'medium', rows: 100, decoded: MAX_NOTICES },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fids, type } }) => {
    // What users did to themselves is no notification.
    const [one = 0, other = one] = fids
    const pageOf = (fid: number, actor: number) => {
      const about = { fid, kinds: kindsOf(type), actors: [actor] }
      return notificationsPage(context, viewer, about, { limit: MAX_INTERACTIONS })
    }
    const pages = await Promise.all([pageOf(one, other), pageOf(other, one)])
    const all = pages.flatMap(({ notifications }) => notifications)
    return {
      interactions: all.sort((a, b) =>
        a.most_recent_timestamp < b.most_recent_timestamp ? 1 : -1,
      ),
    }
  },
})

const bestFriends = route('GET /v2/farcaster/user/best_friends', {
  callers: 'app',
  summary: 'The users with whom a user interacts most, in both directions',
  description:
    'The score is the smaller of what each did to the other: 1 for a like, 2 for a recast, 3 for a reply, quote or mention. ' +
    `Of the user\u2019s newest ${MAX_PAGE_SIZE} reactions and casts, and the newest ${MAX_NOTICES} notices of 60 days.`,
  tags: INTERACTIONS,
  limit: 'search',
  query: { fid: fidParam, ...paged({ default: 3, max: 100 }, 'n') },
  reply: BestFriendsReply,
  cost: { cpu: 'large', rows: 100, decoded: MAX_NOTICES },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer: { app }, query: { fid, limit, cursor: [offset] = [0] } }) => {
    const viewer = { app, viewer: fid }
    const [received, given] = await Promise.all([
      pointsReceived(context, viewer, fid),
      pointsGiven(context, fid),
    ])
    const friends = [...received].flatMap(([friend, points]) => {
      const score = Math.min(points, given.get(friend) ?? 0)
      return score > 0 && friend !== fid ? [{ friend, score }] : []
    })
    const ranked = (await visibleTo(context, viewer, friends, ({ friend }) => friend))
      .sort((a, b) => b.score - a.score || a.friend - b.friend)
      .slice(0, MAX_FRIENDS)
    const { items, next } = sliceOf(ranked, offset, limit)
    const found = await hydrate(context, viewer, { users: items.map(({ friend }) => friend) })
    return {
      users: items.flatMap(({ friend, score }) => {
        const user = found.user(friend)
        if (!user) return []
        return { fid: friend, username: user.username, mutual_affinity_score: score }
      }),
      next: nextOf(next === undefined ? undefined : [next]),
    }
  },
})

type Points = Map<number, number>
const add = (points: Points, fid: number, count: number) =>
  points.set(fid, (points.get(fid) ?? 0) + count)

/** What others did to a user. */
async function pointsReceived(
  { storage, nowMs }: AppContext,
  viewer: Viewer,
  fid: number,
): Promise<Points> {
  const since = networkTime(nowMs()) - NOTICE_SECONDS
  const kinds = COUNTED.map(({ number }) => number)
  const rows = await storage.appViews.notices({ fid, kinds, viewer, since }, undefined, MAX_NOTICES)
  const points: Points = new Map()
  for (const { kind, actor, skipped } of rows) {
    if (!skipped) add(points, actor, noticeKindOf(kind).affinity)
  }
  return points
}

/** What a user did to others. */
async function pointsGiven({ storage }: AppContext, fid: number): Promise<Points> {
  const { listByFid } = storage.published.messages
  const newest = async (store: number, type: MessageType) =>
    (await listByFid({ fid, store, types: [type] }, { size: MAX_PAGE_SIZE, reverse: true })).items
  const [reactions, casts] = await Promise.all([
    newest(MESSAGE_SETS.reactions, MessageType.REACTION_ADD),
    newest(MESSAGE_SETS.casts, MessageType.CAST_ADD),
  ])
  const points: Points = new Map()
  for (const message of [...reactions, ...casts]) {
    for (const [target, count] of actsOf(message)) add(points, target, count)
  }
  return points
}

/** The users that a message is about, with what it counts. */
function actsOf({ data }: StoredMessage): [fid: number, points: number][] {
  const { body } = fromBinary(MessageDataSchema, data)
  if (body.case === 'reactionBody') {
    const { target, type } = body.value
    return target.case === 'targetCastId' ? [[Number(target.value.fid), type]] : []
  }
  if (body.case !== 'castAddBody') return []
  const { parent, mentions, embeds } = body.value
  const fids = [
    ...(parent.case === 'parentCastId' ? [parent.value.fid] : []),
    ...mentions,
    ...embeds.flatMap(({ embed }) => (embed.case === 'castId' ? [embed.value.fid] : [])),
  ]
  return [...new Set(fids.map(Number))].map((one) => [one, CAST_POINTS])
}
