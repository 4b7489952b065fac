import { fromOf, type Graph, indexOfFid, KIND_WEIGHTS, kindOf } from './graph.ts'
import { DAMPING, LEAST_BUDGET, LEAST_SUPPORTERS, ROUNDS } from './rules.ts'
import type { Seed } from './seeds.ts'

export type Trust = {
  /** The initial trust of each account; the sum is 1. */
  readonly mass: Float64Array
  /**
   * What each account is given by others. In single precision, so that accounts that are alike are
   * equal in any order in which their parts were added.
   */
  readonly scores: Float32Array
}

/** The part of its trust that an account passes along an edge of this weight. */
const shareOf = (weight: number, budget: number): number =>
  (DAMPING * weight) / Math.max(budget, LEAST_BUDGET)

/**
 * Propagates trust from the seeds along interactions, round after round (personalised PageRank). Trust that an
 * account does not pass on returns to the seeds, which are its only source.
 */
export function computeTrust(graph: Graph, seeds: readonly Seed[]): Trust {
  const { fids, offsets, entries, budgets } = graph
  const start = startOf(fids, seeds)
  let mass = start.slice()
  let next = new Float64Array(fids.length)
  const scores = new Float32Array(fids.length)
  if (!start.some((part) => part > 0)) return { mass, scores }
  const given = new Float64Array(fids.length)
  for (let round = 1; round <= ROUNDS; round++) {
    for (let i = 0; i < given.length; i++) given[i] = mass[i]! * shareOf(1, budgets[i]!)
    let received = 0
    for (let to = 0; to < next.length; to++) {
      let sum = 0
      const end = offsets[to + 1]!
      for (let at = offsets[to]!; at < end; at++) {
        const entry = entries[at]!
        sum += given[fromOf(entry)]! * KIND_WEIGHTS[kindOf(entry)]!
      }
      next[to] = sum
      received += sum
    }
    if (round === ROUNDS) scores.set(next)
    const anew = 1 - received
    for (let i = 0; i < next.length; i++) next[i]! += anew * start[i]!
    const swapped = mass
    mass = next
    next = swapped
  }
  return { mass, scores }
}

function startOf(fids: Uint32Array, seeds: readonly Seed[]): Float64Array {
  const start = new Float64Array(fids.length)
  const found = seeds
    .map(({ fid, weight }) => ({ index: indexOfFid(fids, fid), weight }))
    .filter(({ index }) => index >= 0)
    .sort((a, b) => a.index - b.index)
  const total = found.reduce((sum, { weight }) => sum + weight, 0)
  for (const { index, weight } of found) start[index] = weight / total
  return start
}

export type Ranking = {
  /** Indexes of all accounts with a score: the highest score first, then the lowest fid. */
  readonly order: Uint32Array
  /** The least score of a badge holder. */
  readonly threshold: number
  /** How many trusted accounts trust each account with a score. */
  readonly supporters: Uint32Array
  /** How many trusted supporters a holder needs. */
  readonly supportersNeeded: number
}

/**
 * Ranks accounts. The threshold is the score at which the highest active accounts together hold `part` of the
 * trust of all active accounts: accounts without trust cannot move it, however many there are.
 */
export function rankAccounts(
  graph: Graph,
  { scores }: Trust,
  options: { readonly active: Uint8Array; readonly seeds: readonly Seed[]; readonly part: number },
): Ranking {
  const { active, seeds, part } = options
  const order = Uint32Array.from(scores.keys())
    .filter((i) => scores[i]! > 0)
    .sort((a, b) => scores[b]! - scores[a]! || a - b)
  const ranked = order.filter((i) => active[i]! > 0)
  const threshold = thresholdOf(ranked, scores, part)
  const isTrusted = new Uint8Array(scores.length)
  for (const i of order) if (scores[i]! >= threshold) isTrusted[i] = 1
  for (const { fid } of seeds) {
    const index = indexOfFid(graph.fids, fid)
    if (index >= 0) isTrusted[index] = 1
  }
  const trustedCount = isTrusted.reduce((sum, one) => sum + one, 0)
  return {
    order,
    threshold,
    supporters: countSupporters(graph, scores, isTrusted),
    supportersNeeded: Math.max(1, Math.min(LEAST_SUPPORTERS, trustedCount - 1)),
  }
}

function thresholdOf(ranked: Uint32Array, scores: Float32Array, part: number): number {
  const enough = part * ranked.reduce((sum, i) => sum + scores[i]!, 0)
  let covered = 0
  for (const i of ranked) {
    covered += scores[i]!
    if (covered >= enough) return scores[i]!
  }
  return Number.POSITIVE_INFINITY
}

function countSupporters(
  { offsets, entries }: Graph,
  scores: Float32Array,
  isTrusted: Uint8Array,
): Uint32Array {
  const supporters = new Uint32Array(scores.length)
  for (let to = 0; to < supporters.length; to++) {
    if (scores[to] === 0) continue
    let last = -1
    for (const entry of entries.subarray(offsets[to]!, offsets[to + 1]!)) {
      const from = fromOf(entry)
      if (from !== last) supporters[to]! += isTrusted[from]!
      last = from
    }
  }
  return supporters
}
