import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { nextOf } from '../../../kernel/app-api/cursor.ts'
import { fidOfKey, nameOfKey } from '../../../kernel/app-api/keys.ts'
import { hydrate } from '../../../kernel/app-api/objects/hydrate.ts'
import { pageOf, sliceOf } from '../../../kernel/app-api/pages.ts'
import { pointsOfCasts } from '../../../kernel/app-api/ranking.ts'
import type { CastWithReplies } from '../../../kernel/app-api/schemas.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { networkTime } from '../../../kernel/protocol/time.ts'
import type { FoundCast } from '../../../kernel/storage/reads/app-casts.ts'
import { LAST_DOC } from '../../../kernel/storage/reads/app-feeds.ts'
import { ageHoursOf, fadedPoints } from '../../../kernel/views/ranking.ts'

// A thread: a cast, a page of the replies to it, the replies to these, and the casts above it.

/** Replies of one answer. */
const MAX_CASTS = 500
/** Casts above the cast that was asked for. */
const MAX_PARENTS = 200
/** Direct replies that are ranked. */
const MAX_RANKED = 1_000
/** Replies that are read to fill one page of a fold. */
const MAX_FOLDED = 1_000
/** The lowest score of authors above the fold. */
const GOOD_SCORE = 0.5

export type ConversationQuery = {
  readonly replyDepth: number
  readonly includeChronologicalParentCasts: boolean
  readonly sortType: 'chron' | 'desc_chron' | 'algorithmic'
  readonly fold: 'above' | 'below' | undefined
  readonly limit: number
  readonly cursor: readonly [number] | undefined
}

type Reply = { readonly doc: number; readonly fid: number; readonly key: Uint8Array }
type RepliesPage = { readonly items: readonly Reply[]; readonly next: number | undefined }

export async function conversation(
  context: AppContext,
  viewer: Viewer,
  key: Uint8Array,
  query: ConversationQuery,
) {
  const { appViews } = context.storage
  const [root] = await appViews.casts([key])
  if (!root) throw notStored()
  const thread = { root, viewer, channel: await channelOf(context, root) }
  const [page, parents] = await Promise.all([
    query.replyDepth === 0 ? NO_REPLIES : directReplies(context, thread, query),
    query.includeChronologicalParentCasts ? appViews.parents(key, MAX_PARENTS) : [],
  ])
  const children = await repliesBelow(context, thread, page.items, query)
  children.set(nameOfKey(key), page.items)
  const replies = [...children.values()].flat().map((reply) => reply.key)
  const found = await hydrate(context, viewer, { casts: [key, ...replies, ...parents] })
  const withReplies = (one: Uint8Array): CastWithReplies[] => {
    const cast = one === key ? found.cast(one) : found.unmutedCast(one)
    if (!cast) return []
    const below = children.get(nameOfKey(one)) ?? []
    return [{ ...cast, direct_replies: below.flatMap((reply) => withReplies(reply.key)) }]
  }
  const [cast] = withReplies(key)
  if (!cast) throw notStored()
  const above = parents.flatMap((parent) => found.cast(parent) ?? [])
  return {
    conversation: {
      cast,
      ...(query.includeChronologicalParentCasts && { chronological_parent_casts: above }),
    },
    next: nextOf(page.next === undefined ? undefined : [page.next]),
  }
}

/** A thread as it is asked for. */
type Thread = {
  readonly root: FoundCast
  readonly viewer: Viewer
  /** The id of the channel that it is in; empty: none. */
  readonly channel: string
}

async function channelOf({ channelCache }: AppContext, { rootUrl }: FoundCast): Promise<string> {
  if (rootUrl === null) return ''
  return (await channelCache.refresh()).byUrl.get(rootUrl)?.id ?? ''
}

const notStored = () => new Rejection('not_found', 'no such cast is stored')

const NO_REPLIES: RepliesPage = { items: [], next: undefined }

/** The replies to replies, level by level, by the cast that they reply to. */
async function repliesBelow(
  { storage }: AppContext,
  { viewer, channel }: Thread,
  direct: readonly Reply[],
  { replyDepth, limit }: ConversationQuery,
): Promise<Map<string, readonly Reply[]>> {
  const children = new Map<string, readonly Reply[]>()
  let level = direct
  let count = level.length
  for (let depth = 1; depth < replyDepth && level.length > 0 && count < MAX_CASTS; depth++) {
    const keys = level.map((reply) => reply.key)
    const terms = { viewer, channel, most: limit }
    const found = await storage.appViews.repliesToAll(keys, terms)
    const shown = found.slice(0, MAX_CASTS - count)
    for (const reply of shown) {
      const parent = nameOfKey(reply.target)
      children.set(parent, [...(children.get(parent) ?? []), reply])
    }
    count += shown.length
    level = shown
  }
  return children
}

async function directReplies(
  context: AppContext,
  thread: Thread,
  query: ConversationQuery,
): Promise<RepliesPage> {
  const { root, viewer, channel } = thread
  const { limit, sortType, fold, cursor } = query
  if (sortType === 'algorithmic') return rankedReplies(context, thread, query)
  const descending = sortType === 'desc_chron'
  const after = cursor?.[0] ?? (descending ? LAST_DOC : 0)
  const most = fold ? MAX_FOLDED : limit + 1
  const page = { viewer, channel, after, descending, limit: most }
  const rows = await context.storage.appViews.replies(root.key, page)
  if (!fold) {
    const { items, last } = pageOf(rows, limit)
    return { items, next: last?.doc }
  }
  const authors = await authorsOf(context, viewer, root, rows)
  const { items, last } = pageOf(authors.inFold(rows, fold), limit)
  return { items, next: last?.doc ?? (rows.length < MAX_FOLDED ? undefined : rows.at(-1)!.doc) }
}

/** Replies by accounts that the viewer follows first, then the author's own, then by points. */
async function rankedReplies(
  context: AppContext,
  { root, viewer, channel }: Thread,
  { limit, fold, cursor }: ConversationQuery,
): Promise<RepliesPage> {
  const newest = { viewer, channel, after: LAST_DOC, descending: true, limit: MAX_RANKED }
  const rows = await context.storage.appViews.replies(root.key, newest)
  const authors = await authorsOf(context, viewer, root, rows)
  const replies = authors.inFold(rows, fold)
  const keys = replies.map(({ key }) => key)
  const points = await pointsOfCasts(context, keys)
  const now = networkTime(context.nowMs())
  const ranked = replies
    .map((reply) => ({
      reply,
      group: authors.isFollowed(reply) ? 0 : authors.isAuthor(reply) ? 1 : 2,
      value: fadedPoints(points(reply.key), ageHoursOf(reply.doc, now)),
    }))
    .sort((a, b) => a.group - b.group || b.value - a.value || b.reply.doc - a.reply.doc)
    .map(({ reply }) => reply)
  return sliceOf(ranked, cursor?.[0] ?? 0, limit)
}

/** What is known of the authors of replies: the viewer follows them, they wrote the root of the thread, their score. */
async function authorsOf(
  { storage, scores }: AppContext,
  { viewer }: Viewer,
  root: FoundCast,
  replies: readonly Reply[],
) {
  const fids = [...new Set(replies.map(({ fid }) => fid))]
  const [scoreOf, relations] = await Promise.all([
    scores(),
    viewer === undefined ? [] : storage.appViews.relations(viewer, fids),
  ])
  const author = fidOfKey(root.rootKey ?? root.key)
  const followed = new Set(relations.filter(({ following }) => following).map(({ fid }) => fid))
  const isFollowed = ({ fid }: Reply) => followed.has(fid)
  const isAuthor = ({ fid }: Reply) => fid === author
  const isAbove = (reply: Reply) =>
    isAuthor(reply) || isFollowed(reply) || (scoreOf?.(reply.fid) ?? GOOD_SCORE) >= GOOD_SCORE
  return {
    isFollowed,
    isAuthor,
    inFold: (all: readonly Reply[], fold: ConversationQuery['fold']) =>
      fold ? all.filter((reply) => isAbove(reply) === (fold === 'above')) : all,
  }
}
