import { LRUCache } from 'lru-cache'
import { castTargetKey, reactionSlot } from '../protocol/slots.ts'
import { DAY_SECONDS, HOUR_SECONDS, networkTime } from '../protocol/time.ts'
import { MessageType, ReactionType } from '../protocol/wire/message_pb.js'
import type { Storage } from '../storage/storage.ts'
import type { ViewReads } from '../storage/view-reads.ts'
import { firstDocAt } from '../storage/views/views.ts'
import {
  pointsOf,
  rankByValue,
  SCORE_UNIT,
  TREND_HOURS,
  TREND_SIZE,
  type TrendList,
} from '../views/ranking.ts'
import type { Scores, Standing } from '../views/scores.ts'
import { fidOfKey, hashOfKey, nameOfKey } from './keys.ts'

// Ranked lists that are not in the table `view_trend`: of one place, and for one user. They are cached, so that a page
// costs no more than its casts.

export type TrendingWindow = TrendList | '7d'
const WINDOW_HOURS = { ...TREND_HOURS, '7d': 168 } as const

const PLACE_LIST_MAX_AGE_MS = 60_000
const USER_LIST_MAX_AGE_MS = 5 * 60_000
/** Lists in memory, about 50 kB each. A cursor of an evicted list continues at the same rank of a new one. */
const MAX_LISTS = 200
/** The newest casts of a place that are ranked. */
const MAX_CANDIDATES_OF_PLACE = 5_000
/** For the list of a user: followed accounts whose reactions count, and reactions of each. */
const MAX_FOLLOWED = 200
const MAX_REACTIONS_OF_EACH = 20
/** The best casts, from which casts that the user likes already are removed. */
const MAX_CHECKED = 1_000
const MAX_FOR_USER = 200
const FOLLOWED_AUTHOR_BONUS = 2

export type Ranked = { readonly key: Uint8Array; readonly fid: number; readonly value: number }

type RankingContext = {
  readonly standingIn: (storage: ViewReads) => Standing
  readonly scores: () => Promise<Scores>
  /** Unix milliseconds. */
  readonly nowMs: () => number
  /** Changes when other data take the place of these. */
  readonly resets: () => number
}

/** Ranks casts of the last hours or days of one place, and for one user. */
export class Ranking {
  readonly #context: RankingContext
  /** Concurrent requests share a list that is being made. */
  readonly #lists: LRUCache<string, Promise<readonly Ranked[]>>

  constructor(context: RankingContext) {
    this.#context = context
    this.#lists = new LRUCache({ max: MAX_LISTS, ttlResolution: 0, perf: { now: context.nowMs } })
  }

  /** `storage` answers when the list is made anew. */
  trendingIn(
    storage: ViewReads,
    place: number,
    window: TrendingWindow,
  ): Promise<readonly Ranked[]> {
    return this.#list(`${window} ${place}`, PLACE_LIST_MAX_AGE_MS, () =>
      trendingIn(storage, this.#context, place, window),
    )
  }

  /** Leaves out the user's own casts and those that the user likes. */
  forUser(storage: ViewReads, fid: number): Promise<readonly Ranked[]> {
    return this.#list(`for ${fid}`, USER_LIST_MAX_AGE_MS, () =>
      forUser(storage, this.#context, fid),
    )
  }

  #list(
    name: string,
    ttl: number,
    make: () => Promise<readonly Ranked[]>,
  ): Promise<readonly Ranked[]> {
    const key = `${this.#context.resets()} ${name}`
    const known = this.#lists.get(key)
    if (known) return known
    const list = make()
    this.#lists.set(key, list, { ttl })
    list.catch(() => this.#lists.delete(key))
    return list
  }
}

async function trendingIn(
  storage: ViewReads,
  { scores, standingIn, nowMs }: RankingContext,
  place: number,
  window: TrendingWindow,
): Promise<readonly Ranked[]> {
  const since = networkTime(nowMs()) - WINDOW_HOURS[window] * HOUR_SECONDS
  const from = firstDocAt(Math.max(0, since))
  const { excluded } = standingIn(storage)
  const casts = await storage.appViews.rankable(from, MAX_CANDIDATES_OF_PLACE, place)
  return (await rankByValue({ scores, excluded }, casts, nowMs())).slice(0, TREND_SIZE)
}

/**
 * Trending casts and those that followed accounts reacted to in the last day. What followed accounts wrote or reacted to
 * has a greater value.
 */
async function forUser(
  storage: ViewReads,
  { scores, standingIn, nowMs }: RankingContext,
  fid: number,
): Promise<readonly Ranked[]> {
  const { appViews, views } = storage
  const { excluded } = standingIn(storage)
  const [generation, followed, scoreOf] = await Promise.all([
    views.trendGeneration(),
    appViews.followedBy(fid),
    scores(),
  ])
  const score = (one: number) => scoreOf?.(one) ?? 0
  const best = followed.toSorted((a, b) => score(b) - score(a)).slice(0, MAX_FOLLOWED)
  const since = networkTime(nowMs()) - DAY_SECONDS
  const [trend, reactions] = await Promise.all([
    appViews.trend(generation, '24h', TREND_SIZE),
    appViews.reactionsOfEach(best, since, MAX_REACTIONS_OF_EACH),
  ])
  const reactors = new Map<string, Set<number>>()
  for (const { key, fid: by } of reactions) {
    reactors.set(nameOfKey(key), (reactors.get(nameOfKey(key)) ?? new Set()).add(by))
  }
  const found = await appViews.rankableByKeys(distinct(reactions.map(({ key }) => key)))
  const reactedTo = await rankByValue({ scores, excluded }, found, nowMs())
  const trending = trend.map((row) => ({ ...row, value: row.score * SCORE_UNIT }))
  const follows = new Set(followed)
  const ranked = [...new Map([...reactedTo, ...trending].map((one) => [nameOfKey(one.key), one]))]
    .filter(([, item]) => item.fid !== fid)
    .map(([name, { key, fid: author, value }]) => {
      const bonus = follows.has(author) ? FOLLOWED_AUTHOR_BONUS : 0
      return { key, fid: author, value: value * (1 + bonus + (reactors.get(name)?.size ?? 0)) }
    })
    .sort((a, b) => b.value - a.value)
  return withoutLiked(storage, fid, ranked.slice(0, MAX_CHECKED), MAX_FOR_USER)
}

/** The points of each of these casts; 0 for others. */
export async function pointsOfCasts(
  { storage }: { readonly storage: Pick<Storage, 'views'> },
  keys: readonly Uint8Array[],
): Promise<(key: Uint8Array) => number> {
  const counts = await storage.views.counts(keys)
  const points = new Map(counts.map((count) => [nameOfKey(count.key), pointsOf(count)]))
  return (key) => points.get(nameOfKey(key)) ?? 0
}

const distinct = (keys: readonly Uint8Array[]): Uint8Array[] => [
  ...new Map(keys.map((key) => [nameOfKey(key), key])).values(),
]

/** The first items that the user does not like. */
async function withoutLiked(
  { appViews }: Pick<Storage, 'appViews'>,
  fid: number,
  items: readonly Ranked[],
  limit: number,
): Promise<Ranked[]> {
  const slotOf = ({ key }: Ranked) =>
    reactionSlot(fid, ReactionType.LIKE, castTargetKey(fidOfKey(key), hashOfKey(key)))
  const slots = items.map((item) => ({ slot: slotOf(item), type: MessageType.REACTION_ADD }))
  const liked = new Set((await appViews.addedSlots(slots)).map(nameOfKey))
  return items.filter((item) => !liked.has(nameOfKey(slotOf(item)))).slice(0, limit)
}
