import { FID_BYTES } from '../protocol/sizes.ts'
import { DAY_SECONDS, HOUR_SECONDS, networkTime } from '../protocol/time.ts'
import type { Reader } from '../storage/storage.ts'
import {
  type CountedCast,
  firstDocAt,
  secondOfDoc,
  type ViewActivity,
  type ViewTrend,
} from '../storage/views/views.ts'
import type { Standing } from './scores.ts'

// How casts are ranked, in every list of the app API, and how many casts the places of channels have.

/** Lists of trending casts: the hours that they look back. */
export const TREND_HOURS = { '1h': 1, '6h': 6, '12h': 12, '24h': 24 } as const
export type TrendList = keyof typeof TREND_HOURS

/** Casts of a list. */
export const TREND_SIZE = 500
/** Generations that are kept, so that a reader can go on in the one where it began. */
export const TREND_GENERATIONS = 3
/** The newest casts with counts that are looked at. */
const MAX_CANDIDATES = 200_000

/** Values are stored as whole numbers of this part of a point. */
export const SCORE_UNIT = 1e-6

type Counts = Pick<CountedCast, 'likes' | 'recasts' | 'replies' | 'quotes'>

/** The points of a cast: how many people reacted to it, and how. */
export const pointsOf = ({ likes, recasts, replies, quotes }: Counts): number =>
  likes + 2 * recasts + 3 * replies + 3 * quotes

/** Points that fade with the age of the cast in hours. */
export const fadedPoints = (points: number, ageHours: number): number =>
  points / (Math.max(0, ageHours) + 2) ** 1.5

/** The value of a cast: its points, weighted by its author's score and fading with its age in hours. */
export const trendValue = (points: number, score: number | undefined, ageHours: number): number =>
  (0.5 + (score ?? 0.5)) * fadedPoints(points, ageHours)

/** The hours between the time of a doc and `now` (network seconds). */
export const ageHoursOf = (doc: number, now: number): number =>
  (now - secondOfDoc(doc)) / HOUR_SECONDS

type RankedStore = Pick<Reader, 'moderation'> & {
  readonly views: {
    countedCasts(fromDoc: number, limit: number): Promise<CountedCast[]>
    placeActivity(from: { day: number; week: number; month: number }): Promise<ViewActivity[]>
  }
}

/** Casts with their values, the best first: those with points whose authors the operator does not exclude. */
export async function rankByValue<C extends Counts & Pick<CountedCast, 'doc' | 'fid'>>(
  standing: Standing,
  casts: readonly C[],
  nowMs: number,
): Promise<(C & { readonly value: number })[]> {
  const [scores, excluded] = await Promise.all([standing.scores(), standing.excluded()])
  const now = networkTime(nowMs)
  return casts
    .filter((cast) => pointsOf(cast) > 0 && !excluded.has(cast.fid))
    .map((cast) => {
      const value = trendValue(pointsOf(cast), scores?.(cast.fid), ageHoursOf(cast.doc, now))
      return { ...cast, value }
    })
    .sort((a, b) => b.value - a.value || b.doc - a.doc)
}

/** The rows of the next generation. Casts and accounts that moderation hides are left out. */
export async function rankCasts(
  store: RankedStore,
  standing: Standing,
  nowMs: number,
): Promise<Omit<ViewTrend, 'generation'>[]> {
  const now = networkTime(nowMs)
  const longest = Math.max(...Object.values(TREND_HOURS))
  const from = firstDocAt(now - longest * HOUR_SECONDS)
  const casts = await store.views.countedCasts(from, MAX_CANDIDATES)
  const hidden = new Set(await store.moderation.hiddenFids())
  const shownAuthors = casts.filter(({ fid }) => !hidden.has(fid))
  const ranked = await rankByValue(standing, shownAuthors, nowMs)
  const rows: Omit<ViewTrend, 'generation'>[] = []
  for (const [list, hours] of Object.entries(TREND_HOURS)) {
    const best = ranked.filter(({ doc }) => ageHoursOf(doc, now) <= hours).slice(0, TREND_SIZE)
    const hashes = best.map(({ key }) => key.subarray(FID_BYTES))
    const hiddenCasts = await store.moderation.hiddenCastsAmong(hashes)
    const names = new Set(hiddenCasts.map(({ hash }) => textOf(hash)))
    const shown = best.filter(({ key }) => !names.has(textOf(key.subarray(FID_BYTES))))
    rows.push(
      ...shown.map(({ doc, value }, i) => ({
        list,
        rank: i + 1,
        doc,
        score: Math.round(value / SCORE_UNIT),
      })),
    )
  }
  return rows
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** How many casts each place has had in the last 1, 7 and 30 days. */
export function activityOfPlaces(store: RankedStore, nowMs: number): Promise<ViewActivity[]> {
  const before = (days: number) => firstDocAt(networkTime(nowMs) - days * DAY_SECONDS)
  return store.views.placeActivity({ day: before(1), week: before(7), month: before(30) })
}
