import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Random, randomFrom } from '../../../test/random.ts'
import { EDGE_KINDS, type EdgeKind } from '../../kernel/storage/tables/graph.ts'
import { GraphBuilder } from './graph.ts'
import { DAMPING, LEAST_BUDGET, LEAST_SUPPORTERS, WEIGHTS } from './rules.ts'
import { computeTrust, rankAccounts } from './score.ts'
import { type Seed, seedsOf } from './seeds.ts'

type Edge = readonly [from: number, to: number, kind: EdgeKind]

const graphOf = (fids: readonly number[], edges: readonly Edge[]) => {
  const builder = new GraphBuilder(Uint32Array.from(fids))
  for (const [from, to, kind] of edges) builder.add(kind, from, to)
  return builder.build()
}
const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
const everyone = (from: number, count: number) => {
  const fids = range(from, count)
  return fids.flatMap((a) => fids.map((b): Edge => [a, b, 'follow']))
}

/** Scores by fid of a network whose seeds are its oldest accounts, and who would have a badge. */
function judge(fids: readonly number[], edges: readonly Edge[], added: readonly number[] = []) {
  const graph = graphOf(fids, edges)
  const seeds = seedsOf(graph.fids, { added })
  const trust = computeTrust(graph, seeds)
  const active = new Uint8Array(fids.length).fill(1)
  const ranking = rankAccounts(graph, trust, { active, seeds, part: 0.5 })
  const score = (fid: number) => trust.scores[graph.fids.indexOf(fid)]!
  const holders = [...ranking.order]
    .filter(
      (i) =>
        trust.scores[i]! >= ranking.threshold && ranking.supporters[i]! >= ranking.supportersNeeded,
    )
    .map((i) => graph.fids[i]!)
  return { score, holders, ranking, trust }
}

describe('the score', () => {
  /** As the rules say, with a matrix that has a number for each two accounts. */
  function slowScores(fids: readonly number[], edges: readonly Edge[], seeds: readonly Seed[]) {
    const n = fids.length
    const matrix = fids.map(() => new Array<number>(n).fill(0))
    const pairs = new Set(edges.map((edge) => JSON.stringify(edge)))
    for (const pair of pairs) {
      const [from, to, kind] = JSON.parse(pair) as Edge
      const [i, j] = [fids.indexOf(from), fids.indexOf(to)]
      if (i >= 0 && j >= 0 && i !== j) matrix[j]![i]! += WEIGHTS[kind]
    }
    const total = seeds.reduce((sum, { weight }) => sum + weight, 0)
    const start = fids.map((fid) => (seeds.find((seed) => seed.fid === fid)?.weight ?? 0) / total)
    const budgets = fids.map((_, i) => matrix.reduce((sum, row) => sum + row[i]!, 0))
    let mass = start
    let received = start
    for (let round = 0; round < 400; round++) {
      received = matrix.map((row) =>
        row.reduce(
          (sum, weight, i) =>
            sum + (DAMPING * mass[i]! * weight) / Math.max(LEAST_BUDGET, budgets[i]!),
          0,
        ),
      )
      const missing = 1 - received.reduce((sum, part) => sum + part, 0)
      mass = received.map((part, i) => part + missing * start[i]!)
    }
    return received
  }

  const anyNetwork = fc.integer({ min: 1, max: 25 }).chain((n) =>
    fc.record({
      fids: fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 32 - 1 }), {
        minLength: n,
        maxLength: n,
      }),
      edges: fc.array(fc.tuple(fc.nat(n), fc.nat(n), fc.constantFrom(...EDGE_KINDS)), {
        maxLength: 300,
      }),
      seed: fc.nat(),
    }),
  )

  test('scores equal those of a simple slow model on any small network', () => {
    fc.assert(
      fc.property(anyNetwork, ({ fids, edges }) => {
        fids.sort((a, b) => a - b)
        // An index beyond the last is a fid that is not registered.
        const named = edges.map(([a, b, kind]): Edge => [fids[a] ?? 7.5, fids[b] ?? 7.5, kind])
        const seeds = seedsOf(Uint32Array.from(fids))
        const { scores, mass } = computeTrust(graphOf(fids, named), seeds)
        const slow = slowScores(fids, named, seeds)
        for (const [i, score] of slow.entries()) {
          assert.ok(Math.abs(scores[i]! - score) < 1e-5, `${scores[i]} is not ${score}`)
        }
        assert.ok(Math.abs(mass.reduce((sum, part) => sum + part, 0) - 1) < 1e-9)
      }),
      { numRuns: 60, seed: 7 },
    )
  })

  test('scores are bit for bit the same in any order of rows and with duplicates', () => {
    fc.assert(
      fc.property(anyNetwork, ({ fids, edges, seed }) => {
        fids.sort((a, b) => a - b)
        const named = edges.map(([a, b, kind]): Edge => [fids[a] ?? 1, fids[b] ?? 1, kind])
        const random = randomFrom(seed)
        const shuffled = random.shuffled([...named, ...named.slice(0, 50)])
        const [one, other] = [judge(fids, named), judge(fids, shuffled)]
        assert.deepEqual(one.trust, other.trust)
        assert.deepEqual(one.ranking, other.ranking)
      }),
      { numRuns: 60, seed: 7 },
    )
  })

  test('the score counts each account and kind of interaction once', () => {
    const once = judge(range(1, 20), [
      [1, 15, 'like'],
      [2, 16, 'like'],
    ])
    const often = judge(range(1, 20), [
      ...Array.from({ length: 100 }, (): Edge => [1, 15, 'like']),
      [2, 16, 'like'],
      [1, 15, 'like'],
    ])
    assert.deepEqual(once.trust, often.trust)
  })

  test('scores are zero without seeds, edges or accounts', () => {
    assert.deepEqual(judge([], []).holders, [])
    assert.deepEqual(judge(range(1, 30), []).holders, [])
    const graph = graphOf(range(1, 10), everyone(1, 10))
    assert.ok(computeTrust(graph, []).scores.every((score) => score === 0))
  })

  test('an inactive account passes on only small parts of its score', () => {
    const { score } = judge([1, 2], [[1, 2, 'follow']])
    assert.ok(score(2) <= DAMPING / LEAST_BUDGET)
  })
})

describe('the seeds of trust', () => {
  const fids = Uint32Array.from(range(5, 40))

  test('the ten oldest accounts are the seeds, with more weight for older ones', () => {
    const seeds = seedsOf(fids)
    assert.deepEqual(
      seeds.map(({ fid }) => fid),
      range(5, 10),
    )
    assert.deepEqual([seeds[0]!.weight, seeds[9]!.weight], [1, 0.1])
  })

  test('an excluded seed is not replaced', () => {
    const seeds = seedsOf(fids, { excluded: new Set([6]) })
    assert.deepEqual(
      seeds.map(({ fid }) => fid),
      [5, ...range(7, 8)],
    )
  })

  test('seeds named by settings replace the oldest accounts, and the operator may add more', () => {
    const seeds = seedsOf(fids, { named: [30, 3, 31], added: [31, 20], excluded: new Set([30]) })
    assert.deepEqual(seeds, [
      { fid: 20, weight: 1 },
      { fid: 31, weight: 1 },
    ])
  })
})

describe('the accounts with a badge', () => {
  test('nearly all accounts of a small connected group get a badge', () => {
    const { holders, ranking } = judge(range(1, 10), everyone(1, 10))
    assert.ok(holders.length >= 5, `${holders}`)
    assert.equal(ranking.supportersNeeded, LEAST_SUPPORTERS)
  })

  test('at most half of the accounts with a score get a badge, unless scores are equal', () => {
    const random = randomFrom(5)
    const { holders, ranking } = judge(range(1, 500), organic(random, 500, 20))
    assert.ok(holders.length > 20 && holders.length <= ranking.order.length / 2 + 1)
  })

  test('of two accounts that follow each other, the one trusted by the older account gets a badge', () => {
    assert.deepEqual(judge([1, 2], everyone(1, 2)).holders, [2])
  })

  const PEOPLE = 300
  const RING = 3_000
  const BOSS = 1_000
  /** Famous accounts are followed by most, and everybody by some. */
  function organic(random: Random, people: number, degree: number): Edge[] {
    return range(1, people).flatMap((from) =>
      Array.from({ length: degree }, (): Edge => {
        const to = 1 + Math.floor((random.int(1_000) / 1_000) ** 2 * people)
        return [from, to, random.pick(EDGE_KINDS)]
      }),
    )
  }
  /** Everybody of it praises the boss and forty others of it in every way. */
  function ring(random: Random): Edge[] {
    const members = range(BOSS, RING)
    return members.flatMap((from) =>
      [BOSS, ...Array.from({ length: 40 }, () => random.pick(members))].flatMap((to) =>
        EDGE_KINDS.map((kind): Edge => [from, to, kind]),
      ),
    )
  }
  const fids = [...range(1, PEOPLE), ...range(BOSS, RING)]
  const inRing = (fid: number) => fid >= BOSS
  const random = randomFrom(7)
  const people = organic(random, PEOPLE, 25)
  const spam = ring(random)
  const honest = judge(fids, people)

  test('a ring of thousands of accounts that only interact with each other gets no badges and affects no others', () => {
    const { holders, score, trust } = judge(fids, [...people, ...spam])
    assert.ok(honest.holders.length > 20)
    assert.deepEqual(holders, honest.holders)
    assert.equal(score(BOSS), 0)
    assert.deepEqual(trust.scores, honest.trust.scores)
  })

  test('a ring that interacts with well-known accounts gets no badges', () => {
    const flattery = range(BOSS, RING).flatMap((from) =>
      [1, 2, 3, ...honest.holders.slice(0, 10)].flatMap((to) =>
        EDGE_KINDS.map((kind): Edge => [from, to, kind]),
      ),
    )
    const { holders, trust } = judge(fids, [...people, ...spam, ...flattery])
    assert.deepEqual(holders, honest.holders)
    assert.deepEqual(trust.scores, honest.trust.scores)
  })

  test('a ring with one real follower gets no badges', () => {
    const sellers = honest.holders.slice(0, 3).concat(range(200, 5))
    for (const seller of sellers) {
      const bought: Edge[] = EDGE_KINDS.map((kind) => [seller, BOSS, kind])
      const { holders, trust, ranking } = judge(fids, [...people, ...spam, ...bought])
      assert.ok(!holders.some(inRing), `bought from ${seller}: ${holders.filter(inRing)}`)
      const ringSum = fids.reduce((sum, fid, i) => sum + (inRing(fid) ? trust.scores[i]! : 0), 0)
      const most = (DAMPING * trust.mass[seller - 1]! * 6) / LEAST_BUDGET / (1 - DAMPING)
      assert.ok(ringSum <= most, 'no more than the seller could give, passed round')
      assert.ok(ranking.supporters[fids.indexOf(BOSS)]! < LEAST_SUPPORTERS)
      assert.ok(holders.length >= honest.holders.length - 3, 'and no other account loses much')
    }
  })

  test('mass registrations in a young network get no badges', () => {
    const founders = everyone(1, 10)
    const crowd = range(11, 2_000)
    const edges = crowd.flatMap((from) =>
      Array.from({ length: 20 }, (): Edge => [from, random.pick(crowd), 'recast']),
    )
    const { holders } = judge([...range(1, 10), ...crowd], [...founders, ...edges])
    assert.ok(holders.length >= 5 && holders.every((fid) => fid <= 10), `${holders}`)
  })

  test('accounts that the operator adds are seeds too', () => {
    const circle = everyone(500, 8)
    const all = [...range(1, 10), ...range(500, 8)]
    assert.deepEqual(judge(all, [...everyone(1, 10), ...circle]).score(503), 0)
    assert.ok(judge(all, [...everyone(1, 10), ...circle], [500]).score(503) > 0)
  })
})
