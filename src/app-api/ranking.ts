import { castTargetKey, reactionSlot } from '../protocol/slots.ts'
import { networkTime } from '../protocol/time.ts'
import { MessageType, ReactionType } from '../protocol/wire/message_pb.js'
import type { Storage } from '../storage/storage.ts'
import { firstDocAt } from '../storage/views/views.ts'
import {
  rankByValue,
  SCORE_UNIT,
  TREND_HOURS,
  TREND_SIZE,
  type TrendList,
} from '../views/ranking.ts'
import type { Scores } from '../views/scores.ts'
import { fidOfKey, hashOfKey, nameOfKey } from './keys.ts'

// Ranked lists that are not in the table `view_trend`: of one place, and for one user. They are kept in memory
// for a while, so that a page costs nothing but its casts.

export type TrendingWindow = TrendList | '7d'
const WINDOW_HOURS = { ...TREND_HOURS, '7d': 168 } as const
const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

const PLACE_LIST_MAX_AGE_MS = 60_000
const USER_LIST_MAX_AGE_MS = 5 * 60_000
/** Lists in memory, about 50 kB each. A cursor of an evicted list continues at the same rank of a new one. */
const MAX_LISTS = 200
/** The newest casts of a place that are ranked. */
const MAX_CANDIDATES_OF_PLACE = 5_000
/** For the list of a user: followed accounts whose reactions count, and reactions of each of them. */
const MAX_FOLLOWED = 200
const MAX_REACTIONS_OF_EACH = 20
/** The best casts; those that the user likes already are left out of them. */
const MAX_CHECKED = 1_000
const MAX_FOR_USER = 200
const FOLLOWED_AUTHOR_BONUS = 2

export type Ranked = { readonly key: Uint8Array; readonly fid: number; readonly value: number }
type List = { readonly madeAtMs: number; readonly items: readonly Ranked[] }

export type Ranking = ReturnType<typeof createRanking>

type RankingOptions = {
  readonly storage: Storage
  readonly scores: () => Promise<Scores>
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** Ranks casts of the last hours or days of one place, and for one user. */
export function createRanking({ storage, scores, nowMs }: RankingOptions) {
  const lists = new Map<string, Promise<List>>()

  /** The list of this name, made anew when it is too old. Concurrent callers share one. */
  const listOf = async (
    name: string,
    maxAgeMs: number,
    make: () => Promise<readonly Ranked[]>,
  ): Promise<readonly Ranked[]> => {
    const known = await lists.get(name)?.catch(() => undefined)
    const age = known ? nowMs() - known.madeAtMs : maxAgeMs
    if (known && age >= 0 && age < maxAgeMs) return known.items
    if (lists.size >= MAX_LISTS) lists.delete(lists.keys().next().value!)
    const made = make().then((items): List => ({ madeAtMs: nowMs(), items }))
    lists.set(name, made)
    made.catch(() => lists.delete(name))
    return (await made).items
  }

  const trendingIn = (place: number, window: TrendingWindow): Promise<readonly Ranked[]> =>
    listOf(`${window} ${place}`, PLACE_LIST_MAX_AGE_MS, async () => {
      const since = networkTime(nowMs()) - WINDOW_HOURS[window] * HOUR_SECONDS
      const from = firstDocAt(Math.max(0, since))
      const casts = await storage.appViews.rankable(from, MAX_CANDIDATES_OF_PLACE, place)
      return (await rankByValue(storage, casts, await scores(), nowMs())).slice(0, TREND_SIZE)
    })

  /**
   * Trending casts and those that followed accounts reacted to in the last day. Weighs more what followed
   * accounts wrote or reacted to; leaves out the user's own casts and those that the user likes.
   */
  const forUser = (fid: number): Promise<readonly Ranked[]> =>
    listOf(`for ${fid}`, USER_LIST_MAX_AGE_MS, async () => {
      const [generation, followed, scoreOf] = await Promise.all([
        storage.views.trendGeneration(),
        storage.appViews.followedBy(fid),
        scores(),
      ])
      const score = (one: number) => scoreOf?.(one) ?? 0
      const best = followed.toSorted((a, b) => score(b) - score(a)).slice(0, MAX_FOLLOWED)
      const since = networkTime(nowMs()) - DAY_SECONDS
      const [trend, reactions] = await Promise.all([
        storage.appViews.trend(generation, '24h', TREND_SIZE),
        storage.appViews.reactionsOfEach(best, since, MAX_REACTIONS_OF_EACH),
      ])
      const reactors = new Map<string, Set<number>>()
      for (const { key, fid: by } of reactions) {
        reactors.set(nameOfKey(key), (reactors.get(nameOfKey(key)) ?? new Set()).add(by))
      }
      const found = await storage.appViews.rankableByKeys(distinct(reactions.map(({ key }) => key)))
      const reactedTo = await rankByValue(storage, found, scoreOf, nowMs())
      const trending = trend.map((row) => ({ ...row, value: row.score * SCORE_UNIT }))
      const follows = new Set(followed)
      const ranked = [
        ...new Map([...reactedTo, ...trending].map((one) => [nameOfKey(one.key), one])),
      ]
        .filter(([, item]) => item.fid !== fid)
        .map(([name, { key, fid: author, value }]) => {
          const bonus = follows.has(author) ? FOLLOWED_AUTHOR_BONUS : 0
          return { key, fid: author, value: value * (1 + bonus + (reactors.get(name)?.size ?? 0)) }
        })
        .sort((a, b) => b.value - a.value)
      return withoutLiked(storage, fid, ranked.slice(0, MAX_CHECKED), MAX_FOR_USER)
    })

  return { trendingIn, forUser }
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
