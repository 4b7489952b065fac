import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_SECONDS, NETWORK_EPOCH_MS } from '../protocol/time.ts'
import { type CountedCast, firstDocAt } from '../storage/views/views.ts'
import { castKey } from './message-fields.ts'
import { pointsOf, rankCasts, TREND_SIZE, trendValue } from './ranking.ts'

const NOW = 200_000_000

const cast = (n: number, ageHours: number, likes: number, fid = n): CountedCast => ({
  doc: firstDocAt(NOW - ageHours * HOUR_SECONDS) + n,
  fid,
  key: castKey(fid, new Uint8Array(20).fill(n % 250)),
  likes,
  recasts: 0,
  replies: 0,
  quotes: 0,
})

const ranked = (
  casts: readonly CountedCast[],
  options: {
    scores?: (fid: number) => number
    hidden?: number[]
    hiddenCast?: Uint8Array
    excluded?: number[]
  } = {},
) =>
  rankCasts(
    {
      views: {
        countedCasts: async (from: number) => casts.filter(({ doc }) => doc >= from),
        placeActivity: async () => [],
      },
      moderation: {
        hiddenFids: async () => options.hidden ?? [],
        hiddenCastsAmong: async (hashes: readonly Uint8Array[]) =>
          hashes
            .filter((hash) => options.hiddenCast && Buffer.compare(hash, options.hiddenCast) === 0)
            .map((hash) => ({ hash, fid: 0, hidden_at: 0 })),
      },
    } as unknown as Parameters<typeof rankCasts>[0],
    {
      scores: async () => options.scores,
      excluded: async () => new Set(options.excluded),
    },
    NETWORK_EPOCH_MS + NOW * 1000,
  )

const docs = (rows: Awaited<ReturnType<typeof ranked>>, list: string) =>
  rows.filter((row) => row.list === list).map(({ doc }) => doc)

test('a cast has a point for a like, two for a recast and three for a reply or a quote', () => {
  assert.equal(pointsOf({ likes: 1, recasts: 10, replies: 100, quotes: 1_000 }), 3_321)
})

test('the value of a cast grows with its points and the score of its author, and fades with its age', () => {
  assert.equal(trendValue(8, undefined, 2), 1)
  assert.equal(trendValue(8, 1, 2), 1.5)
  assert.ok(trendValue(8, 0.4, 3) < trendValue(8, 0.4, 2))
  assert.equal(trendValue(8, 1, -5), trendValue(8, 1, 0))
})

test('each list holds the best casts of its hours, the best first, and none without points', async () => {
  const [a, b, c, none] = [cast(1, 0, 5), cast(2, 3, 500), cast(3, 20, 5_000), cast(4, 0, 0)]
  const rows = await ranked([a, b, c, none, cast(5, 25, 99_999)])
  assert.deepEqual(docs(rows, '1h'), [a.doc])
  assert.deepEqual(docs(rows, '6h'), [b.doc, a.doc])
  assert.deepEqual(docs(rows, '24h'), [c.doc, b.doc, a.doc])
  assert.deepEqual(
    rows.filter(({ list }) => list === '24h').map(({ rank }) => rank),
    [1, 2, 3],
  )
})

test('a list is bounded, and the score of authors decides between casts with equal points', async () => {
  const many = Array.from({ length: TREND_SIZE + 20 }, (_, i) => cast(i + 1, 0, 1))
  const rows = await ranked(many, { scores: (fid) => (fid === 7 ? 1 : 0.4) })
  assert.equal(docs(rows, '1h').length, TREND_SIZE)
  assert.equal(docs(rows, '1h')[0], many[6]!.doc)
})

test('casts of authors that the operator excludes from badges are not ranked', async () => {
  const [a, b] = [cast(1, 0, 5), cast(2, 0, 4)]
  assert.deepEqual(docs(await ranked([a, b], { excluded: [1] }), '24h'), [b.doc])
})

test('casts and accounts that moderation hides are not ranked', async () => {
  const [a, b, c] = [cast(1, 0, 5), cast(2, 0, 4), cast(3, 0, 3)]
  const rows = await ranked([a, b, c], { hidden: [1], hiddenCast: b.key.subarray(4) })
  assert.deepEqual(docs(rows, '1h'), [c.doc])
})
