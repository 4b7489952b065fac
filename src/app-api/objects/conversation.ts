import { Rejection } from '../../protocol/rejection.ts'
import { networkTime } from '../../protocol/time.ts'
import type { FoundCast } from '../../storage/reads/app-casts.ts'
import { LAST_DOC } from '../../storage/reads/app-feeds.ts'
import type { Onlooker } from '../../storage/reads/app-hidden.ts'
import { ageHoursOf, fadedPoints, pointsOf } from '../../views/ranking.ts'
import type { AppContext } from '../context.ts'
import { nextOf } from '../cursor.ts'
import { fidOfKey, nameOfKey } from '../keys.ts'
import { pageOf } from '../pages.ts'
import type { Cast, CastWithReplies } from '../schemas.ts'
import { hydrate } from './hydrate.ts'

// A thread as a reader sees it: a cast, a page of the replies to it, the replies to these, and what is above.

/** Casts of one answer below the cast that was asked for. */
const MAX_CASTS = 500
/** Casts above it. */
const MAX_PARENTS = 200
/** Direct replies that are ranked. */
const MAX_RANKED = 1_000
/** Replies of one page that may be looked at to find those of a fold. */
const MAX_FOLDED = 1_000
/** The score from which on a reply is above the fold. */
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
  onlooker: Onlooker,
  key: Uint8Array,
  query: ConversationQuery,
) {
  const { storage } = context
  const [root] = await storage.appViews.casts([key])
  if (!root) throw new Rejection('not_found', 'no such cast is stored')
  const [page, parents] = await Promise.all([
    query.replyDepth === 0 ? NO_REPLIES : directReplies(context, onlooker, root, query),
    query.includeChronologicalParentCasts ? storage.appViews.parents(key, MAX_PARENTS) : [],
  ])
  const children = new Map([[nameOfKey(key), page.items]])
  let level = page.items
  let count = level.length
  for (let depth = 1; depth < query.replyDepth && level.length > 0 && count < MAX_CASTS; depth++) {
    const found = await storage.appViews.repliesToAll(
      level.map((reply) => reply.key),
      { onlooker, most: query.limit },
    )
    const kept = found.slice(0, MAX_CASTS - count)
    for (const reply of kept) {
      const above = nameOfKey(reply.target)
      children.set(above, [...(children.get(above) ?? []), reply])
    }
    count += kept.length
    level = kept
  }
  const replies = [...children.values()].flat().map((reply) => reply.key)
  const found = await hydrate(context, onlooker, { casts: [key, ...replies, ...parents] })
  const whole = (one: Uint8Array): CastWithReplies[] => {
    const cast = found.cast(one)
    if (!cast) return []
    const below = children.get(nameOfKey(one)) ?? []
    return [{ ...cast, direct_replies: below.flatMap((reply) => whole(reply.key)) }]
  }
  const [cast] = whole(key)
  if (!cast) throw new Rejection('not_found', 'no such cast is stored')
  return {
    conversation: {
      cast,
      ...(query.includeChronologicalParentCasts && {
        chronological_parent_casts: parents.flatMap((parent): Cast[] => {
          const one = found.cast(parent)
          return one ? [one] : []
        }),
      }),
    },
    next: nextOf('conversation', page.next === undefined ? undefined : [page.next]),
  }
}

const NO_REPLIES: RepliesPage = { items: [], next: undefined }

async function directReplies(
  context: AppContext,
  onlooker: Onlooker,
  root: FoundCast,
  query: ConversationQuery,
): Promise<RepliesPage> {
  const { limit, sortType, fold, cursor } = query
  if (sortType === 'algorithmic') return rankedReplies(context, onlooker, root, query)
  const descending = sortType === 'desc_chron'
  const after = cursor?.[0] ?? (descending ? LAST_DOC : 0)
  const read = (most: number) =>
    context.storage.appViews.replies(root.key, { onlooker, after, descending, limit: most })
  if (!fold) {
    const { items, last } = pageOf(await read(limit + 1), limit)
    return { items, next: last?.doc }
  }
  const rows = await read(MAX_FOLDED)
  const isAbove = await foldOf(context, onlooker, root, rows)
  const chosen = rows.filter((reply) => isAbove(reply) === (fold === 'above'))
  const { items, last } = pageOf(chosen, limit)
  return { items, next: last?.doc ?? (rows.length < MAX_FOLDED ? undefined : rows.at(-1)!.doc) }
}

/** Whether a reply stands above the fold: its author has a good score, is followed, or wrote the thread's root. */
async function foldOf(
  { storage, scores }: AppContext,
  { viewer }: Onlooker,
  root: FoundCast,
  replies: readonly Reply[],
): Promise<(reply: Reply) => boolean> {
  const author = fidOfKey(root.rootKey ?? root.key)
  const fids = [...new Set(replies.map(({ fid }) => fid))]
  const [scoreOf, relations] = await Promise.all([
    scores(),
    viewer === undefined ? [] : storage.appViews.relations(viewer, fids),
  ])
  const followed = new Set(relations.filter(({ following }) => following).map(({ fid }) => fid))
  return ({ fid }) =>
    fid === author || followed.has(fid) || (scoreOf?.(fid) ?? GOOD_SCORE) >= GOOD_SCORE
}

/** Replies by accounts that the viewer follows first, then the author's own, then by points. */
async function rankedReplies(
  context: AppContext,
  onlooker: Onlooker,
  root: FoundCast,
  { limit, fold, cursor }: ConversationQuery,
): Promise<RepliesPage> {
  const { storage } = context
  const rows = await storage.appViews.replies(root.key, {
    onlooker,
    after: LAST_DOC,
    descending: true,
    limit: MAX_RANKED,
  })
  const isAbove = fold && (await foldOf(context, onlooker, root, rows))
  const shown = isAbove ? rows.filter((row) => isAbove(row) === (fold === 'above')) : rows
  const fids = [...new Set(shown.map(({ fid }) => fid))]
  const { viewer } = onlooker
  const [counts, relations] = await Promise.all([
    storage.views.counts(shown.map(({ key }) => key)),
    viewer === undefined ? [] : storage.appViews.relations(viewer, fids),
  ])
  const points = new Map(counts.map((count) => [nameOfKey(count.key), pointsOf(count)]))
  const followed = new Set(relations.filter(({ following }) => following).map(({ fid }) => fid))
  const author = fidOfKey(root.rootKey ?? root.key)
  const now = networkTime(context.nowMs())
  const ranked = shown
    .map((reply) => {
      return {
        reply,
        group: followed.has(reply.fid) ? 0 : reply.fid === author ? 1 : 2,
        value: fadedPoints(points.get(nameOfKey(reply.key)) ?? 0, ageHoursOf(reply.doc, now)),
      }
    })
    .sort((a, b) => a.group - b.group || b.value - a.value || b.reply.doc - a.reply.doc)
    .map(({ reply }) => reply)
  const from = cursor?.[0] ?? 0
  const end = from + limit
  return { items: ranked.slice(from, end), next: end < ranked.length ? end : undefined }
}
