import { fromBinary } from '@bufbuild/protobuf'
import { limitParam } from '../http/input/paging.ts'
import {
  described,
  fidParam,
  optional,
  type Param,
  withDefault,
  wordParam,
} from '../http/input/params.ts'
import type { Route } from '../http/route.ts'
import { u32be } from '../protocol/codec/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import {
  linksByTargetKey,
  MESSAGE_SETS,
  paddedLinkType,
  reactionsByTargetKey,
} from '../protocol/slots.ts'
import { MessageDataSchema, MessageType, ReactionType } from '../protocol/wire/message_pb.js'
import type { StoredMessage } from '../storage/messages/messages.ts'
import type { Onlooker } from '../storage/reads/app-hidden.ts'
import type { Page } from '../storage/reads/page.ts'
import { getKeyOfHash } from './cast-id.ts'
import type { AppContext } from './context.ts'
import { cursorParam, nextOf } from './cursor.ts'
import { fidOfKey } from './keys.ts'
import { appRoute, viewRoute } from './kit.ts'
import { dehydratedUser, hydrate, targetOfKey, timeOf, unixTimeOf } from './objects/hydrate.ts'
import { onlookerOf } from './objects/onlooker.ts'
import { pageOf } from './pages.ts'
import { hashParam, missing, viewerParam, wordsParam } from './params.ts'
import {
  BansReply,
  BlocksReply,
  CastReactionsReply,
  type Follower,
  FollowersReply,
  MutesReply,
  ReciprocalFollowersReply,
  RelevantFollowersReply,
  UserReactionsReply,
  UsersPageReply,
} from './schemas.ts'

const REACTIONS = [{ name: 'Reactions', description: 'Likes and recasts.' }]
const GRAPH = [{ name: 'Graph', description: 'Follows, blocks and mutes.' }]

const FOLLOW = 'follow'
/** Follows of one page of mutual follows that are looked at, so many at a time. */
const MUTUAL_SCANNED = 1_000
const MAX_MUTUAL_SCANS = 5
/** Followers of a user that the viewer follows too. */
const MAX_RELEVANT = 500
const MAX_TOP_RELEVANT = 10

const sortParam: Param<'desc_chron' | 'algorithmic'> = withDefault(
  described(
    wordParam(['desc_chron', 'algorithmic']),
    'The newest follow first; `algorithmic` means the same here.',
  ),
  'desc_chron',
)

/** Routes of reactions, follows, blocks, mutes and bans. */
export function graphRoutes(context: AppContext): Route[] {
  return [...reactionRoutes(context), ...followRoutes(context), ...refusalRoutes(context)]
}

function reactionRoutes(context: AppContext): Route[] {
  const { storage } = context
  const get = viewRoute(context)
  return [
    get(
      {
        path: '/reactions/cast',
        summary: 'Who has liked or recast a cast',
        description: 'The newest reaction first.',
        tags: REACTIONS,
        query: {
          hash: hashParam,
          types: wordsParam(['likes', 'recasts', 'all'], 'Which reactions.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('castReactions', ['h']),
        },
        reply: CastReactionsReply,
        errors: ['not_found'],
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query, caller }) => {
        const onlooker = onlookerOf(caller, query.viewerFid)
        const target = targetOfKey(await getKeyOfHash(context, query.hash))
        const page = await storage.published.messages.listByTargets(
          reactionTypes(query.types).map((type) => reactionsByTargetKey(type, target)),
          { size: query.limit, token: tokenOf(query.cursor, TARGET_TOKEN_BYTES), reverse: true },
        )
        const rows = await shown(context, onlooker, page)
        const found = await hydrate(context, onlooker, { users: rows.map(({ fid }) => fid) })
        return {
          reactions: rows.flatMap((row) => {
            const user = found.user(row.fid)
            return user ? [{ ...reactionHead(row), user }] : []
          }),
          next: nextOf('castReactions', page.next && [page.next]),
        }
      },
    ),
    get(
      {
        path: '/reactions/user',
        summary: 'What a user has liked and recast',
        description: 'The newest reaction first, without casts that are not stored.',
        tags: REACTIONS,
        query: {
          fid: fidParam,
          type: wordsParam(['all', 'likes', 'recasts'], 'Which reactions.'),
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('userReactions', ['h']),
        },
        reply: UserReactionsReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const { fid, limit, cursor } = query
        const types = reactionTypes(query.type)
        const onlooker = onlookerOf(caller, query.viewerFid)
        const page = await storage.published.messages.listByFid(
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
        const authors = await storage.appViews.shownAmong(
          onlooker,
          reactions.map(({ key }) => fidOfKey(key)),
        )
        const visible = reactions.filter(({ key }) => authors.has(fidOfKey(key)))
        const casts = visible.map(({ key }) => key)
        const found = await hydrate(context, onlooker, { casts, users: [fid] })
        const user = found.userDehydrated(fid)
        return {
          reactions: visible.flatMap(({ row, key }) => {
            const cast = found.cast(key)
            return cast && user ? [{ ...reactionHead(row), cast, user }] : []
          }),
          next: nextOf('userReactions', page.next && [page.next]),
        }
      },
    ),
  ]
}

function followRoutes(context: AppContext): Route[] {
  const { storage } = context
  const get = viewRoute(context)
  const paging = (list: 'followers' | 'followed' | 'reciprocal', standard: number) => ({
    fid: fidParam,
    sort_type: sortParam,
    viewer_fid: viewerParam,
    limit: limitParam({ default: standard, max: 100 }),
    cursor: cursorParam(list, ['h']),
  })
  /** Follows of a user, newest first. */
  const followsOf = (fid: number, size: number, token: Uint8Array | undefined) =>
    storage.published.messages.listByFid(
      {
        fid,
        store: MESSAGE_SETS.links,
        types: [MessageType.LINK_ADD],
        slotPrefix: paddedLinkType(FOLLOW),
      },
      { size, token, reverse: true },
    )
  const followers = async (onlooker: Onlooker, fids: readonly number[]): Promise<Follower[]> => {
    const found = await hydrate(context, onlooker, { users: fids })
    return fids.flatMap((fid) => {
      const user = found.user(fid)
      return user ? [{ object: 'follower' as const, user }] : []
    })
  }
  return [
    get(
      {
        path: '/followers',
        summary: 'Who follows a user',
        description: 'The newest follow first.',
        tags: GRAPH,
        query: paging('followers', 20),
        reply: FollowersReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query, caller }) => {
        const { fid, limit, cursor } = query
        const onlooker = onlookerOf(caller, query.viewerFid)
        const page = await storage.published.messages.listByTargets(
          [linksByTargetKey(fid, FOLLOW)],
          { size: limit, token: tokenOf(cursor, TARGET_TOKEN_BYTES), reverse: true },
        )
        const rows = await shown(context, onlooker, page)
        return {
          users: await followers(
            onlooker,
            rows.map((row) => row.fid),
          ),
          next: nextOf('followers', page.next && [page.next]),
        }
      },
    ),
    get(
      {
        path: '/following',
        summary: 'The accounts that a user follows',
        description: 'The newest follow first.',
        tags: GRAPH,
        query: paging('followed', 25),
        reply: FollowersReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query, caller }) => {
        const { fid, limit, cursor } = query
        const onlooker = onlookerOf(caller, query.viewerFid)
        const page = await followsOf(fid, limit, tokenOf(cursor, FID_TOKEN_BYTES))
        const targets = page.items.map(targetFidOf)
        const visible = await storage.appViews.shownAmong(onlooker, targets)
        return {
          users: await followers(
            onlooker,
            targets.filter((target) => visible.has(target)),
          ),
          next: nextOf('followed', page.next && [page.next]),
        }
      },
    ),
    get(
      {
        path: '/followers/reciprocal',
        summary: 'The accounts that a user follows and that follow back',
        description: "By the user's own follow, the newest first.",
        tags: GRAPH,
        query: paging('reciprocal', 25),
        reply: ReciprocalFollowersReply,
        cost: { cpu: 'medium', rows: 100 },
      },
      async ({ query, caller }) => {
        const { fid, limit, cursor } = query
        const onlooker = onlookerOf(caller, query.viewerFid)
        const back = new Map<number, number>()
        const mutual: StoredMessage[] = []
        let token = tokenOf(cursor, FID_TOKEN_BYTES)
        for (let scans = 0; scans < MAX_MUTUAL_SCANS && mutual.length <= limit; scans++) {
          const page = await followsOf(fid, MUTUAL_SCANNED, token)
          const found = await storage.appViews.followsBetween(page.items.map(targetFidOf), fid)
          for (const [target, at] of found) back.set(target, at)
          const visible = await storage.appViews.shownAmong(onlooker, [...found.keys()])
          mutual.push(...page.items.filter((row) => visible.has(targetFidOf(row))))
          token = page.next
          if (!token) break
        }
        const { items, last } = pageOf(mutual, limit)
        const found = await hydrate(context, onlooker, { users: items.map(targetFidOf) })
        return {
          users: items.flatMap((row) => {
            const target = targetFidOf(row)
            const user = found.user(target)
            const timestamp = timeOf(Math.max(row.timestamp, back.get(target)!))
            return user ? [{ object: 'reciprocal_follower' as const, user, timestamp }] : []
          }),
          next: nextOf('reciprocal', placeAfter(last) ?? (token && [token])),
        }
      },
    ),
    get(
      {
        path: '/followers/relevant',
        summary: 'Followers of a user that the viewer follows too',
        description: 'Those with the best scores, ten of them whole.',
        tags: GRAPH,
        query: { target_fid: fidParam, viewer_fid: viewerParam },
        reply: RelevantFollowersReply,
        cost: { cpu: 'medium', rows: MAX_RELEVANT },
      },
      async ({ query, caller }) => {
        const { targetFid, viewerFid } = query
        const fids =
          viewerFid === undefined
            ? []
            : await storage.appViews.followersFollowedBy(targetFid, viewerFid)
        return relevant(context, onlookerOf(caller, viewerFid), fids)
      },
    ),
    get(
      {
        path: '/following/suggested',
        summary: 'Accounts that a user may want to follow',
        description:
          'Ranked by how many of the 100 newest follows of the user follow them, without accounts that the user follows.',
        tags: GRAPH,
        limit: 'search',
        query: {
          fid: fidParam,
          viewer_fid: viewerParam,
          limit: limitParam({ default: 25, max: 100 }),
          cursor: cursorParam('ranked', ['n']),
        },
        reply: UsersPageReply,
        cost: { cpu: 'large', rows: 100 },
      },
      async ({ query, caller }) => {
        const { fid, limit } = query
        const onlooker = onlookerOf(caller, query.viewerFid ?? fid)
        const fids = await storage.appViews.suggestions(fid, onlooker, limit)
        const asked = onlookerOf(caller, query.viewerFid)
        const found = await hydrate(context, asked, { users: fids })
        return { users: fids.flatMap((one) => found.user(one) ?? []), next: { cursor: null } }
      },
    ),
  ]
}

function refusalRoutes(context: AppContext): Route[] {
  const { storage } = context
  const get = viewRoute(context)
  const limit = limitParam({ default: 20, max: 100 })
  return [
    get(
      {
        path: '/block/list',
        summary: 'The accounts that a user blocks, or that block a user',
        description: 'The newest first. One of the two parameters is needed.',
        tags: GRAPH,
        query: {
          blocker_fid: optional(described(fidParam, 'The user who blocked.')),
          blocked_fid: optional(described(fidParam, 'The user who is blocked.')),
          limit,
          cursor: cursorParam('blocks', ['n', 'n', 'n']),
        },
        reply: BlocksReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query, caller }) => {
        const { blockerFid: blocker, blockedFid: blocked } = query
        if (blocker === undefined && blocked === undefined) {
          throw missing('blocker_fid', 'blocker_fid or blocked_fid')
        }
        const rows = await storage.blocks.list(
          { blocker, blocked, after: query.cursor },
          query.limit + 1,
        )
        const { items, last } = pageOf(rows, query.limit)
        const isOfBlocker = blocker !== undefined
        const fids = items.map((row) => (isOfBlocker ? row.blocked : row.blocker))
        const found = await hydrate(context, onlookerOf(caller, undefined), { users: fids })
        return {
          blocks: items.flatMap((row, i) => {
            const user = found.user(fids[i]!)
            if (!user) return []
            const who = isOfBlocker ? { blocked: user } : { blocker: user }
            return { object: 'block' as const, ...who, blocked_at: unixTimeOf(row.created_at) }
          }),
          next: nextOf('blocks', last && [last.created_at, last.blocker, last.blocked]),
        }
      },
    ),
    get(
      {
        path: '/mute/list',
        summary: 'The accounts that a user has muted in this app',
        description: 'The newest first. Another app sees other mutes.',
        tags: GRAPH,
        query: { fid: fidParam, limit, cursor: cursorParam('mutes', ['n', 'n']) },
        reply: MutesReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { fid, limit, cursor }, caller }) => {
        const { uuid } = caller.app
        const after = cursor && [cursor[0], uuid, fid, cursor[1]]
        const rows = await storage.apps.mutes(uuid, fid, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        const users = items.map(({ muted_fid }) => muted_fid)
        const found = await hydrate(context, onlookerOf(caller, undefined), { users })
        return {
          mutes: items.flatMap((row) => {
            const muted = found.user(row.muted_fid)
            const muted_at = unixTimeOf(row.muted_at)
            return muted ? [{ object: 'mute' as const, muted, muted_at }] : []
          }),
          next: nextOf('mutes', last && [last.muted_at, last.muted_fid]),
        }
      },
    ),
    appRoute(
      {
        method: 'GET',
        path: '/ban/list',
        summary: 'The accounts that this app has banned',
        description: 'The newest first.',
        tags: GRAPH,
        query: { limit, cursor: cursorParam('bans', ['n', 'n']) },
        reply: BansReply,
        cost: { cpu: 'small', rows: 100 },
      },
      async ({ query: { limit, cursor }, caller }) => {
        const { uuid } = caller.app
        const after = cursor && [cursor[0], uuid, cursor[1]]
        const rows = await storage.apps.bans(uuid, after, limit + 1)
        const { items, last } = pageOf(rows, limit)
        const users = items.map(({ fid }) => fid)
        const found = await hydrate(context, onlookerOf(caller, undefined), { users })
        return {
          bans: items.flatMap((row) => {
            const banned = found.user(row.fid)
            const banned_at = unixTimeOf(row.banned_at)
            return banned ? [{ object: 'ban' as const, banned, banned_at }] : []
          }),
          next: nextOf('bans', last && [last.banned_at, last.fid]),
        }
      },
    ),
  ]
}

/** Followers, the best scores first; the first ten are hydrated. */
export async function relevant(context: AppContext, onlooker: Onlooker, fids: readonly number[]) {
  const [scoreOf, visible] = await Promise.all([
    context.scores(),
    context.storage.appViews.shownAmong(onlooker, fids),
  ])
  const score = (fid: number) => scoreOf?.(fid) ?? 0
  const best = [...visible].sort((a, b) => score(b) - score(a) || a - b).slice(0, MAX_RELEVANT)
  const found = await hydrate(context, onlooker, { users: best })
  const users = best.flatMap((fid) => found.user(fid) ?? [])
  return {
    top_relevant_followers_hydrated: users
      .slice(0, MAX_TOP_RELEVANT)
      .map((user) => ({ object: 'follower' as const, user })),
    all_relevant_followers_dehydrated: users.map((user) => ({
      object: 'follower_dehydrated' as const,
      user: dehydratedUser(user),
    })),
  }
}

/** Bytes of the position in a list by target, and in one author's list. */
const TARGET_TOKEN_BYTES = 28
const FID_TOKEN_BYTES = 24

/** The position in a message list that a cursor holds. Throws a Rejection for another length. */
function tokenOf(
  cursor: readonly [Uint8Array] | undefined,
  length: number,
): Uint8Array | undefined {
  if (cursor && cursor[0].length !== length) {
    throw new Rejection('bad_request.invalid_param', 'cursor must be a cursor of this list', {
      field: 'cursor',
      reason: 'InvalidCursor',
    })
  }
  return cursor?.[0]
}

/** The position after a message in one author's list, as the list's own pages end. */
const placeAfter = (row: StoredMessage | undefined): [Uint8Array] | undefined =>
  row && [Buffer.concat([u32be(row.timestamp), row.hash])]

const shown = async (
  { storage }: AppContext,
  onlooker: Onlooker,
  { items }: Page<StoredMessage>,
): Promise<StoredMessage[]> => {
  const visible = await storage.appViews.shownAmong(
    onlooker,
    items.map(({ fid }) => fid),
  )
  return items.filter(({ fid }) => visible.has(fid))
}

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
