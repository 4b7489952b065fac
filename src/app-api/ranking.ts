import { networkTime } from '../protocol/time.ts'
import type { RankedItem } from '../storage/app-ranking.ts'
import type { Storage } from '../storage/storage.ts'
import { firstDocAt, secondOfDoc } from '../storage/views.ts'
import { nameOfKey } from './keys.ts'
import { fadedPoints, pointsOf, type Scores } from './points.ts'

// Lists that are ranked: kept in memory for a while, so that a page costs nothing but its casts.

export type TrendingWindow = keyof typeof WINDOW_HOURS
const WINDOW_HOURS = { '1h': 1, '6h': 6, '12h': 12, '24h': 24, '7d': 168 } as const
const HOUR_SECONDS = 3_600

/** How long a ranked list is shown. */
const MAX_AGE_MS = 60_000
/** Lists in memory, about 50 kB each; cursors of those that are forgotten go on at the same rank. */
const MAX_LISTS = 200
const MAX_RANKED = 500
/** Casts that are ranked. */
const MAX_CANDIDATES = 10_000
const MAX_CANDIDATES_OF_PLACE = 5_000
/** Those whom a user follows whose casts and recasts are part of the user's own list, and how many of each. */
const MAX_FOLLOWED = 200
const MAX_OF_EACH = 20
const MAX_FOR_YOU = 200

export type Ranked = { readonly key: Uint8Array; readonly fid: number; readonly value: number }
type List = { readonly madeAtMs: number; readonly items: readonly Ranked[] }

export type Ranking = ReturnType<typeof createRanking>

type RankingOptions = {
  readonly storage: Storage
  readonly scores: Scores
  /** Unix milliseconds. */
  readonly nowMs: () => number
}

/** Ranks casts of the last hours or days, of all or of one place, and for one user. */
export function createRanking({ storage, scores, nowMs }: RankingOptions) {
  const lists = new Map<string, Promise<List>>()

  /** The list of this name, made anew when it is too old. Concurrent callers share one. */
  const listOf = async (
    name: string,
    make: () => Promise<Ranked[]>,
  ): Promise<readonly Ranked[]> => {
    const known = await lists.get(name)?.catch(() => undefined)
    const age = known ? nowMs() - known.madeAtMs : MAX_AGE_MS
    if (known && age >= 0 && age < MAX_AGE_MS) return known.items
    if (lists.size >= MAX_LISTS) lists.delete(lists.keys().next().value!)
    const made = make().then((items): List => ({ madeAtMs: nowMs(), items }))
    lists.set(name, made)
    made.catch(() => lists.delete(name))
    return (await made).items
  }

  const ranked = async (candidates: readonly RankedItem[]): Promise<Ranked[]> => {
    const [scoreOf, marks] = await Promise.all([scores(), storage.badges.marks()])
    const excluded = new Set(marks.filter(({ kind }) => kind === 'exclude').map(({ fid }) => fid))
    const now = networkTime(nowMs())
    return candidates
      .filter(({ fid }) => !excluded.has(fid))
      .map((item) => {
        const weight = 0.5 + (scoreOf?.(item.fid) ?? 0)
        const hours = (now - secondOfDoc(item.doc)) / HOUR_SECONDS
        return { key: item.key, fid: item.fid, value: weight * fadedPoints(pointsOf(item), hours) }
      })
      .sort((a, b) => b.value - a.value)
      .slice(0, MAX_RANKED)
  }

  const trending = (window: TrendingWindow, place?: number): Promise<readonly Ranked[]> =>
    listOf(`${window} ${place ?? ''}`, async () => {
      const since = networkTime(nowMs()) - WINDOW_HOURS[window] * HOUR_SECONDS
      const limit = place === undefined ? MAX_CANDIDATES : MAX_CANDIDATES_OF_PLACE
      return ranked(await storage.appViews.rankable(firstDocAt(Math.max(0, since)), limit, place))
    })

  /** Trending casts and what those whom a user follows cast and recast, with more weight to the latter. */
  const forYou = (fid: number): Promise<readonly Ranked[]> =>
    listOf(`for ${fid}`, async () => {
      const since = firstDocAt(Math.max(0, networkTime(nowMs()) - 24 * HOUR_SECONDS))
      const [all, followed, scoreOf] = await Promise.all([
        trending('24h'),
        storage.appViews.followedBy(fid),
        scores(),
      ])
      const score = (one: number) => scoreOf?.(one) ?? 0
      const best = followed.toSorted((a, b) => score(b) - score(a)).slice(0, MAX_FOLLOWED)
      const posts = (await storage.appViews.newestOfEach(best, MAX_OF_EACH)).filter(
        ({ doc }) => doc >= since,
      )
      const recasts = new Map<string, number>()
      for (const { kind, key } of posts) {
        if (kind === 3) recasts.set(nameOfKey(key), (recasts.get(nameOfKey(key)) ?? 0) + 1)
      }
      const more = await ranked(await storage.appViews.rankableByKeys(posts.map(({ key }) => key)))
      const follows = new Set(followed)
      const whole = new Map([...more, ...all].map((item) => [nameOfKey(item.key), item]))
      return [...whole.values()]
        .filter((item) => item.fid !== fid)
        .map((item) => {
          const bonus = (follows.has(item.fid) ? 2 : 0) + (recasts.get(nameOfKey(item.key)) ?? 0)
          return { ...item, value: item.value * (1 + bonus) }
        })
        .sort((a, b) => b.value - a.value)
        .slice(0, MAX_FOR_YOU)
    })

  return { trending, forYou }
}
