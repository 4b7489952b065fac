import { fromBinary } from '@bufbuild/protobuf'
import { appOf, VIEWS } from '../../kernel/app-api/app-route.ts'
import type { AppContext, Viewer } from '../../kernel/app-api/context.ts'
import { invalidCursor, nextOf, paged } from '../../kernel/app-api/cursor.ts'
import { fidOfKey, hashOfKey } from '../../kernel/app-api/keys.ts'
import {
  dehydratedUser,
  hydrate,
  timeOf,
  unixTimeOf,
} from '../../kernel/app-api/objects/hydrate.ts'
import { followerOf, pageOf, usersOf, visibleTo } from '../../kernel/app-api/pages.ts'
import {
  choiceParam,
  hashParam,
  missing,
  viewerParam,
  wordsParam,
} from '../../kernel/app-api/params.ts'
import {
  BansReply,
  BlocksReply,
  CastReactionsReply,
  FollowersReply,
  MutesReply,
  ReciprocalFollowersReply,
  RelevantFollowersReply,
  UserReactionsReply,
  UsersPageReply,
} from '../../kernel/app-api/schemas.ts'
import { described, fidParam, optional } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import { u32be } from '../../kernel/protocol/codec/bytes.ts'
import {
  castTargetKey,
  linksByTargetKey,
  MESSAGE_SETS,
  paddedLinkType,
  reactionsByTargetKey,
} from '../../kernel/protocol/slots.ts'
import {
  MessageDataSchema,
  MessageType,
  ReactionType,
} from '../../kernel/protocol/wire/message_pb.js'
import type { StoredMessage } from '../../kernel/storage/messages/messages.ts'
import type { Page } from '../../kernel/storage/reads/page.ts'
import { getKeyOfHash } from './cast-id.ts'
import { hiddenAccountRows } from './tables/hidden-accounts.ts'

const REACTIONS = [{ name: 'Reactions', description: 'Likes and recasts.' }]
const GRAPH = [{ name: 'Graph', description: 'Follows, blocks and mutes.' }]

const FOLLOW = 'follow'
/** Page size when scanning for mutual follows. */
const MUTUAL_SCANNED = 1_000
const MAX_MUTUAL_SCANS = 5
/** Followers of a user that the viewer follows too. */
const MAX_RELEVANT = 500
const MAX_TOP_RELEVANT = 10

/** Routes of reactions, follows, blocks, mutes and bans. */
export const graphRoutes = (context: AppContext): Route[] =>
  bind(context, [
    castReactions,
    userReactions,
    followers,
    following,
    reciprocalFollowers,
    relevantFollowers,
    suggestedFollows,
    blocks,
    mutes,
    bans,
  ])

export const castReactions = route('GET /v2/farcaster/reactions/cast', {
  callers: 'app',
  summary: 'Who has liked or recast a cast',
  description: 'The newest reaction first.',
  tags: REACTIONS,
  query: {
    hash: hashParam,
    types: wordsParam(['likes', 'recasts', 'all'], 'Which reactions.'),
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'h'),
  },
  reply: CastReactionsReply,
  errors: ['not_found'],
  cost: { cpu: 'small', rows: 100 },
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const key = await getKeyOfHash(context, query.hash)
    const target = castTargetKey(fidOfKey(key), hashOfKey(key))
    const lists = reactionTypes(query.types).map((type) => reactionsByTargetKey(type, target))
    const { items, next } = await listByTargets(context, viewer, lists, query)
    const found = await hydrate(context, viewer, { users: items.map(({ fid }) => fid) })
    return {
      reactions: items.flatMap((row) => {
        const user = found.user(row.fid)
        return user ? [{ ...reactionHead(row), user }] : []
      }),
      next,
    }
  },
})

export const userReactions = route('GET /v2/farcaster/reactions/user', {
  callers: 'app',
  summary: 'What a user has liked and recast',
  description: 'The newest reaction first, without casts that are not stored.',
  tags: REACTIONS,
  query: {
    fid: fidParam,
    type: wordsParam(['all', 'likes', 'recasts'], 'Which reactions.'),
    viewer_fid: viewerParam,
    ...paged({ default: 25, max: 100 }, 'h'),
  },
  reply: UserReactionsReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, type, limit, cursor } }) => {
    const types = reactionTypes(type)
    const page = await context.storage.published.messages.listByFid(
      {
        fid,
        store: MESSAGE_SETS.reactions,
        types: [MessageType.REACTION_ADD],
        ...(types.length === 1 && { slotPrefix: Uint8Array.of(types[0]!) }),
      },
      { size: limit, token: tokenOf(cursor, FID_TOKEN_BYTES), reverse: true },
    )
    const reactions = page.items.flatMap((row) => {
      const key = castKeyOf(row)
      return key ? [{ row, key }] : []
    })
    const visible = await visibleTo(context, viewer, reactions, ({ key }) => fidOfKey(key))
    const casts = visible.map(({ key }) => key)
    const found = await hydrate(context, viewer, { casts, users: [fid] })
    const user = found.userDehydrated(fid)
    return {
      reactions: visible.flatMap(({ row, key }) => {
        const cast = found.cast(key)
        return cast && user ? [{ ...reactionHead(row), cast, user }] : []
      }),
      next: nextOf(page.next && [page.next]),
    }
  },
})

const followQuery = (size: { default: number; max: number }) => ({
  fid: fidParam,
  sort_type: choiceParam(
    ['desc_chron', 'algorithmic'],
    'The newest follow first; `algorithmic` means the same here.',
  ),
  viewer_fid: viewerParam,
  ...paged(size, 'h'),
})

export const followers = route('GET /v2/farcaster/followers', {
  callers: 'app',
  summary: 'Who follows a user',
  description: 'The newest follow first.',
  tags: GRAPH,
  query: followQuery({ default: 20, max: 100 }),
  reply: FollowersReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query }) => {
    const lists = [linksByTargetKey(query.fid, FOLLOW)]
    const { items, next } = await listByTargets(context, viewer, lists, query)
    const fids = items.map(({ fid }) => fid)
    return { users: (await usersOf(context, viewer, fids)).map(followerOf), next }
  },
})

export const following = route('GET /v2/farcaster/following', {
  callers: 'app',
  summary: 'The accounts that a user follows',
  description: 'The newest follow first.',
  tags: GRAPH,
  query: followQuery({ default: 25, max: 100 }),
  reply: FollowersReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const page = await followsOf(context, fid, limit, tokenOf(cursor, FID_TOKEN_BYTES))
    const fids = await visibleTo(context, viewer, page.items.map(targetFidOf), (one) => one)
    const users = await usersOf(context, viewer, fids)
    return { users: users.map(followerOf), next: nextOf(page.next && [page.next]) }
  },
})

const reciprocalFollowers = route('GET /v2/farcaster/followers/reciprocal', {
  callers: 'app',
  summary: 'The accounts that a user follows and that follow back',
  description: "By the user's own follow, the newest first.",
  tags: GRAPH,
  query: followQuery({ default: 25, max: 100 }),
  reply: ReciprocalFollowersReply,
  cost: { cpu: 'medium', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const back = new Map<number, number>()
    const mutual: StoredMessage[] = []
    let token = tokenOf(cursor, FID_TOKEN_BYTES)
    for (let scans = 0; scans < MAX_MUTUAL_SCANS && mutual.length <= limit; scans++) {
      const page = await followsOf(context, fid, MUTUAL_SCANNED, token)
      const { appViews } = context.storage
      const found = await appViews.followsBetween(page.items.map(targetFidOf), fid)
      for (const [target, at] of found) back.set(target, at)
      const rows = page.items.filter((row) => found.has(targetFidOf(row)))
      mutual.push(...(await visibleTo(context, viewer, rows, targetFidOf)))
      token = page.next
      if (!token) break
    }
    const { items, last } = pageOf(mutual, limit)
    const found = await hydrate(context, viewer, { users: items.map(targetFidOf) })
    return {
      users: items.flatMap((row) => {
        const target = targetFidOf(row)
        const user = found.user(target)
        const timestamp = timeOf(Math.max(row.timestamp, back.get(target)!))
        return user ? [{ object: 'reciprocal_follower' as const, user, timestamp }] : []
      }),
      next: nextOf(placeAfter(last) ?? (token && [token])),
    }
  },
})

const relevantFollowers = route('GET /v2/farcaster/followers/relevant', {
  callers: 'app',
  summary: 'Followers of a user that the viewer follows too',
  description: 'Those with the best scores, ten of them whole.',
  tags: GRAPH,
  query: { target_fid: fidParam, viewer_fid: viewerParam },
  reply: RelevantFollowersReply,
  cost: { cpu: 'medium', rows: MAX_RELEVANT },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { targetFid } }) => {
    const { appViews } = context.storage
    const fids =
      viewer.viewer === undefined
        ? []
        : await appViews.followersFollowedBy(targetFid, viewer.viewer)
    return relevant(context, viewer, fids)
  },
})

export const suggestedFollows = route('GET /v2/farcaster/following/suggested', {
  callers: 'app',
  summary: 'Accounts that a user may want to follow',
  description:
    'Ranked by how many of the 100 newest follows of the user follow them, without accounts that the user follows.',
  tags: GRAPH,
  limit: 'search',
  query: { fid: fidParam, viewer_fid: viewerParam, ...paged({ default: 25, max: 100 }, 'n') },
  reply: UsersPageReply,
  cost: { cpu: 'large', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit } }) => {
    const hiddenFrom = { ...viewer, viewer: viewer.viewer ?? fid }
    const fids = await context.storage.appViews.suggestions(fid, hiddenFrom, limit)
    return { users: await usersOf(context, viewer, fids), next: nextOf(undefined) }
  },
})

const blocks = route('GET /v2/farcaster/block/list', {
  callers: 'app',
  summary: 'The accounts that a user blocks, or that block a user',
  description: 'The newest first. One of the two parameters is needed.',
  tags: GRAPH,
  query: {
    blocker_fid: optional(described(fidParam, 'The user who blocked.')),
    blocked_fid: optional(described(fidParam, 'The user who is blocked.')),
    ...paged({ default: 20, max: 100 }, 'n', 'n', 'n'),
  },
  reply: BlocksReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (
    context,
    { viewer, query: { blockerFid: blocker, blockedFid: blocked, limit, cursor } },
  ) => {
    if (blocker === undefined && blocked === undefined) {
      throw missing('blocker_fid', 'blocker_fid or blocked_fid')
    }
    const filter = { blocker, blocked, after: cursor }
    const { items, last } = pageOf(await context.storage.blocks.list(filter, limit + 1), limit)
    const isOfBlocker = blocker !== undefined
    const fids = items.map((row) => (isOfBlocker ? row.blocked : row.blocker))
    const found = await hydrate(context, viewer, { users: fids })
    return {
      blocks: items.flatMap((row, i) => {
        const user = found.user(fids[i]!)
        if (!user) return []
        const who = isOfBlocker ? { blocked: user } : { blocker: user }
        return { object: 'block' as const, ...who, blocked_at: unixTimeOf(row.created_at) }
      }),
      next: nextOf(last && [last.created_at, last.blocker, last.blocked]),
    }
  },
})

const mutes = route('GET /v2/farcaster/mute/list', {
  callers: 'app',
  summary: 'The accounts that a user has muted in this app',
  description: 'The newest first. Another app sees other mutes.',
  tags: GRAPH,
  query: { fid: fidParam, ...paged({ default: 20, max: 100 }, 'n', 'n') },
  reply: MutesReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  from: VIEWS,
  handler: async (context, { viewer, query: { fid, limit, cursor } }) => {
    const after = cursor && [cursor[0], viewer.app, fid, cursor[1]]
    const rows = await context.storage
      .of(hiddenAccountRows)
      .mutes(viewer.app, fid, after, limit + 1)
    const { items, last } = pageOf(rows, limit)
    const found = await hydrate(context, viewer, { users: items.map((row) => row.muted_fid) })
    return {
      mutes: items.flatMap((row) => {
        const muted = found.user(row.muted_fid)
        const muted_at = unixTimeOf(row.muted_at)
        return muted ? [{ object: 'mute' as const, muted, muted_at }] : []
      }),
      next: nextOf(last && [last.muted_at, last.muted_fid]),
    }
  },
})

const bans = route('GET /v2/farcaster/ban/list', {
  callers: 'app',
  summary: 'The accounts that this app has banned',
  description: 'The newest first.',
  tags: GRAPH,
  query: paged({ default: 20, max: 100 }, 'n', 'n'),
  reply: BansReply,
  cost: { cpu: 'small', rows: 100 },
  errors: [],
  handler: async (context: AppContext, { query: { limit, cursor }, request }) => {
    const app = appOf(request)
    const after = cursor && [cursor[0], app, cursor[1]]
    const { items, last } = pageOf(
      await context.storage.of(hiddenAccountRows).bans(app, after, limit + 1),
      limit,
    )
    const viewer = { app, viewer: undefined }
    const found = await hydrate(context, viewer, { users: items.map(({ fid }) => fid) })
    return {
      bans: items.flatMap((row) => {
        const banned = found.user(row.fid)
        const banned_at = unixTimeOf(row.banned_at)
        return banned ? [{ object: 'ban' as const, banned, banned_at }] : []
      }),
      next: nextOf(last && [last.banned_at, last.fid]),
    }
  },
})

/** Followers, the best scores first; the first ten are hydrated. */
export async function relevant(context: AppContext, viewer: Viewer, fids: readonly number[]) {
  const [scoreOf, visible] = await Promise.all([
    context.scores(),
    visibleTo(context, viewer, fids, (fid) => fid),
  ])
  const score = (fid: number) => scoreOf?.(fid) ?? 0
  const best = visible.sort((a, b) => score(b) - score(a) || a - b).slice(0, MAX_RELEVANT)
  const users = await usersOf(context, viewer, best)
  return {
    top_relevant_followers_hydrated: users.slice(0, MAX_TOP_RELEVANT).map(followerOf),
    all_relevant_followers_dehydrated: users.map((user) => ({
      object: 'follower_dehydrated' as const,
      user: dehydratedUser(user),
    })),
  }
}

type ListQuery = { readonly limit: number; readonly cursor: readonly [Uint8Array] | undefined }

/** A page of the messages with these targets, without those whose authors are hidden from the viewer. */
async function listByTargets(
  context: AppContext,
  viewer: Viewer,
  targets: readonly Uint8Array[],
  { limit, cursor }: ListQuery,
) {
  const token = tokenOf(cursor, TARGET_TOKEN_BYTES)
  const page = await context.storage.published.messages.listByTargets(targets, {
    size: limit,
    token,
    reverse: true,
  })
  const items = await visibleTo(context, viewer, page.items, ({ fid }) => fid)
  return { items, next: nextOf(page.next && [page.next]) }
}

/** Follows of a user, newest first. */
const followsOf = (
  { storage }: AppContext,
  fid: number,
  size: number,
  token: Uint8Array | undefined,
): Promise<Page<StoredMessage>> =>
  storage.published.messages.listByFid(
    {
      fid,
      store: MESSAGE_SETS.links,
      types: [MessageType.LINK_ADD],
      slotPrefix: paddedLinkType(FOLLOW),
    },
    { size, token, reverse: true },
  )

/** Bytes of the position in a list by target, and in one author's list. */
const TARGET_TOKEN_BYTES = 28
const FID_TOKEN_BYTES = 24

/** The position in a message list that a cursor holds. Throws a Rejection for another length. */
function tokenOf(cursor: ListQuery['cursor'], length: number): Uint8Array | undefined {
  if (cursor && cursor[0].length !== length) throw invalidCursor('cursor')
  return cursor?.[0]
}

/** The position after a message in one author's list, as the list's own pages end. */
const placeAfter = (row: StoredMessage | undefined): [Uint8Array] | undefined =>
  row && [Buffer.concat([u32be(row.timestamp), row.hash])]

const reactionTypes = (words: readonly ('likes' | 'recasts' | 'all')[]): ReactionType[] => {
  const all = words.includes('all')
  return [
    ...(all || words.includes('likes') ? [ReactionType.LIKE] : []),
    ...(all || words.includes('recasts') ? [ReactionType.RECAST] : []),
  ]
}

/** A reaction's slot is its set, fid, type and target. */
const TYPE_AT = 5
const reactionHead = (row: StoredMessage) => {
  const isLike = row.slot[TYPE_AT] === ReactionType.LIKE
  return {
    object: isLike ? ('likes' as const) : ('recasts' as const),
    reaction_type: isLike ? ('like' as const) : ('recast' as const),
    reaction_timestamp: timeOf(row.timestamp),
  }
}

/** The key of the cast that a reaction is to; undefined when it is to a url. */
function castKeyOf({ target }: StoredMessage): Uint8Array | undefined {
  // Set, type, 1 for casts, then the key.
  return target?.[2] === 1 ? target.subarray(3) : undefined
}

const targetFidOf = ({ data }: StoredMessage): number => {
  const { body } = fromBinary(MessageDataSchema, data)
  const target = body.case === 'linkBody' ? body.value.target : undefined
  return target?.case === 'targetFid' ? Number(target.value) : 0
}
