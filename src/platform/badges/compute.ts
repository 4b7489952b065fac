import { networkTime } from '../../protocol/time.ts'
import { EDGE_KINDS, type EdgePosition } from '../../storage/graph.ts'
import { MAX_PAGE_SIZE } from '../../storage/page.ts'
import type { Storage } from '../../storage/storage.ts'
import { type Graph, GraphBuilder, indexOfFid } from './graph.ts'
import { isComplete, readProfiles } from './profile.ts'
import { FAILURES, type ScoreRecord } from './records.ts'
import {
  ACTIVITY_WINDOW_SECONDS,
  FOUNDERS,
  INTERACTION_WINDOW_SECONDS,
  MAX_MARKS,
} from './rules.ts'
import { computeTrust, type Ranking, rankAccounts, type Seed, type Trust } from './score.ts'
import type { BadgeSettings } from './settings.ts'

/** Rows of the graph in one read: some milliseconds, and a few megabytes. */
const EDGES_PER_READ = 10_000
const PROFILES_PER_READ = 250

type Store = Pick<Storage, 'accounts' | 'messages' | 'graph' | 'badges'>

/** What is told about a run besides its set. */
export type RunSummary = {
  readonly accounts: number
  readonly activeAccounts: number
  /** Follows, likes, recasts and replies between them, each pair and kind once. */
  readonly edges: number
  readonly seeds: readonly number[]
  readonly threshold: number
  readonly supportersNeeded: number
}

export type Computed = {
  /** Who has the badge by the score alone, ascending. */
  readonly fids: Uint32Array
  readonly summary: RunSummary
  /** In order of their fids; of accounts with any trust. */
  records(): Iterable<ScoreRecord>
}

/** Computes the set from what the store holds, as of Unix ms `now`. Reads only, in portions. */
export async function computeSet(
  storage: Store,
  { settings, now }: { settings: BadgeSettings; now: number },
): Promise<Computed> {
  const marks = await storage.badges.marks(MAX_MARKS)
  const marked = (kind: 'add' | 'exclude') =>
    marks.filter((mark) => mark.kind === kind).map(({ fid }) => fid)
  const fids = await readFids(storage, new Set(marked('exclude')))
  const graph = await readGraph(storage, fids, networkTime(now) - INTERACTION_WINDOW_SECONDS)
  const active = await readActive(storage, fids, networkTime(now) - ACTIVITY_WINDOW_SECONDS)
  const seeds = seedsOf(fids, settings.seeds, marked('add'))
  const trust = computeTrust(graph, seeds)
  const ranking = rankAccounts(graph, trust, { active, seeds, part: settings.part })
  const failed = await judge(storage, graph, { trust, ranking, active, max: settings.max })
  const { order, threshold, supportersNeeded } = ranking
  return {
    fids: order
      .filter((i) => failed[i] === 0)
      .map((i) => fids[i]!)
      .sort(),
    summary: {
      accounts: fids.length,
      activeAccounts: active.reduce((sum, one) => sum + one, 0),
      edges: graph.entries.length,
      seeds: seeds.map(({ fid }) => fid),
      threshold: Number.isFinite(threshold) ? threshold : 0,
      supportersNeeded,
    },
    records: () => recordsOf(graph, { trust, ranking, failed }),
  }
}

/**
 * Where trust begins: with those the settings name, else with the oldest accounts, the older the more;
 * and with those the operator has added.
 */
export function seedsOf(
  fids: Uint32Array,
  named: readonly number[],
  added: readonly number[],
): Seed[] {
  const founders = [...fids.subarray(0, FOUNDERS)]
  const first =
    named.length > 0
      ? named.map((fid) => ({ fid, weight: 1 }))
      : founders.map((fid, i) => ({ fid, weight: (FOUNDERS - i) / FOUNDERS }))
  const weights = new Map<number, number>()
  for (const { fid, weight } of first) weights.set(fid, weight)
  for (const fid of added) weights.set(fid, 1)
  return [...weights]
    .filter(([fid]) => indexOfFid(fids, fid) >= 0)
    .map(([fid, weight]) => ({ fid, weight }))
    .sort((a, b) => a.fid - b.fid)
}

/** All accounts but the excluded ones, ascending. */
export async function readFids(
  storage: Pick<Storage, 'accounts'>,
  excluded: ReadonlySet<number>,
): Promise<Uint32Array> {
  const pages: Uint32Array[] = []
  let token: Uint8Array | undefined
  do {
    const page = await storage.accounts.listFids({ size: MAX_PAGE_SIZE, token })
    pages.push(Uint32Array.from(page.items.filter((fid) => !excluded.has(fid))))
    token = page.next
  } while (token)
  const fids = new Uint32Array(pages.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const page of pages) {
    fids.set(page, at)
    at += page.length
  }
  return fids
}

/** Follows, and what was done from the network second `since` on. */
export async function readGraph(
  { graph }: Pick<Storage, 'graph'>,
  fids: Uint32Array,
  since: number,
): Promise<Graph> {
  const builder = new GraphBuilder(fids)
  for (const kind of EDGE_KINDS) {
    const oldest = kind === 'follow' ? 0 : since
    let after: EdgePosition | undefined
    do {
      after = await graph.edges({ kind, after, limit: EDGES_PER_READ }, (from, to, timestamp) => {
        if (timestamp >= oldest) builder.add(kind, from, to)
      })
    } while (after)
  }
  return builder.build()
}

/** 1 for each account that has cast since. */
export async function readActive(
  { graph }: Pick<Storage, 'graph'>,
  fids: Uint32Array,
  since: number,
): Promise<Uint8Array> {
  const active = new Uint8Array(fids.length)
  for (let from = 0; from < fids.length; from += MAX_PAGE_SIZE) {
    const portion = [...fids.subarray(from, from + MAX_PAGE_SIZE)]
    const found = new Set(await graph.castSince(portion, since))
    portion.forEach((fid, i) => {
      if (found.has(fid)) active[from + i] = 1
    })
  }
  return active
}

type Verdicts = { readonly trust: Trust; readonly ranking: Ranking; readonly active: Uint8Array }

/** What each account with a score lacks, as bits; nothing for `max` of them at most. */
async function judge(
  { messages }: Store,
  { fids }: Graph,
  { trust, ranking, active, max }: Verdicts & { readonly max: number },
): Promise<Uint8Array> {
  const failed = new Uint8Array(fids.length)
  for (const i of ranking.order) {
    if (trust.scores[i]! < ranking.threshold) failed[i]! |= FAILURES['below threshold']
    if (!active[i]) failed[i]! |= FAILURES['not active']
    if (ranking.supporters[i]! < ranking.supportersNeeded) {
      failed[i]! |= FAILURES['too few supporters']
    }
  }
  const candidates = [...ranking.order.filter((i) => failed[i] === 0)]
  let left = max
  for (let from = 0; from < candidates.length; from += PROFILES_PER_READ) {
    const portion = candidates.slice(from, from + PROFILES_PER_READ)
    const profiles =
      left === 0
        ? []
        : await readProfiles(
            messages,
            portion.map((i) => fids[i]!),
          )
    portion.forEach((i, n) => {
      if (left === 0) failed[i]! |= FAILURES['beyond the maximum']
      else if (!isComplete(profiles[n]!)) failed[i]! |= FAILURES['profile incomplete']
      else left--
    })
  }
  return failed
}

function* recordsOf(
  { fids, budgets }: Graph,
  { trust, ranking, failed }: Pick<Verdicts, 'trust' | 'ranking'> & { failed: Uint8Array },
): Generator<ScoreRecord> {
  const ranks = new Uint32Array(fids.length)
  ranking.order.forEach((i, n) => {
    ranks[i] = n + 1
  })
  for (let i = 0; i < fids.length; i++) {
    const mass = trust.mass[i]!
    if (mass === 0 && ranks[i] === 0) continue
    yield {
      fid: fids[i]!,
      rank: ranks[i]!,
      score: trust.scores[i]!,
      mass,
      budget: budgets[i]!,
      supporters: ranking.supporters[i]!,
      failed: failed[i]!,
    }
  }
}
