import { networkTime } from '../../kernel/protocol/time.ts'
import { type Profile, readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import type { Graph } from './graph.ts'
import { readActive, readFids, readGraph } from './read.ts'
import { FAILURES, type ScoreRecord } from './records.ts'
import { ACTIVITY_WINDOW_SECONDS, INTERACTION_WINDOW_SECONDS } from './rules.ts'
import { computeTrust, type Ranking, rankAccounts, type Trust } from './score.ts'
import { seedsOf } from './seeds.ts'
import type { BadgeSettings } from './settings.ts'
import { badgeRows } from './tables/badges.ts'

const PROFILES_PER_READ = 250

type Store = Pick<Storage, 'accounts' | 'published' | 'graph' | 'of'>

/** Statistics of a run. */
export type RunSummary = {
  readonly accounts: number
  readonly activeAccounts: number
  /** Follows, likes, recasts and replies between accounts, each pair and kind once. */
  readonly edges: number
  readonly seeds: readonly number[]
  readonly threshold: number
  readonly supportersNeeded: number
}

export type Computed = {
  /** The holders by score alone, ascending. */
  readonly fids: Uint32Array
  readonly summary: RunSummary
  /** Ordered by fid; accounts with a score only. */
  records(): Iterable<ScoreRecord>
}

/** Computes the set as of Unix ms `now`. Only reads the store, in batches. */
export async function computeSet(
  storage: Store,
  { settings, now }: { settings: BadgeSettings; now: number },
): Promise<Computed> {
  const marks = await storage.of(badgeRows).marks()
  const marked = (kind: 'add' | 'exclude') =>
    marks.filter((mark) => mark.kind === kind).map(({ fid }) => fid)
  const all = await readFids(storage)
  const excluded = new Set(marked('exclude'))
  const fids = all.filter((fid) => !excluded.has(fid))
  const graph = await readGraph(storage, fids, networkTime(now) - INTERACTION_WINDOW_SECONDS)
  const active = await readActive(storage, fids, networkTime(now) - ACTIVITY_WINDOW_SECONDS)
  const seeds = seedsOf(all, { named: settings.seeds, added: marked('add'), excluded })
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

type Verdicts = { readonly trust: Trust; readonly ranking: Ranking; readonly active: Uint8Array }

/** What each account with a score lacks, as bits; at most `max` accounts lack nothing. */
async function judge(
  { published }: Store,
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
    const batch = candidates.slice(from, from + PROFILES_PER_READ)
    const profiles = await readProfiles(
      published.messages,
      batch.map((i) => fids[i]!),
      ['username', 'displayName', 'picture', 'bio'],
    )
    batch.forEach((i, n) => {
      if (left === 0) failed[i]! |= FAILURES['beyond the maximum']
      else if (!isComplete(profiles[n]!)) failed[i]! |= FAILURES['profile incomplete']
      else left--
    })
  }
  return failed
}

/** The entries that a complete profile needs. */
const isComplete = ({ username, displayName, picture, bio }: Profile): boolean =>
  Boolean(username && displayName && (picture || bio))

function* recordsOf(
  { fids }: Graph,
  { trust, ranking, failed }: Pick<Verdicts, 'trust' | 'ranking'> & { failed: Uint8Array },
): Generator<ScoreRecord> {
  const ranks = new Uint32Array(fids.length)
  ranking.order.forEach((i, n) => {
    ranks[i] = n + 1
  })
  for (let i = 0; i < fids.length; i++) {
    if (ranks[i] === 0) continue
    yield {
      fid: fids[i]!,
      rank: ranks[i]!,
      score: trust.scores[i]!,
      supporters: ranking.supporters[i]!,
      failed: failed[i]!,
    }
  }
}
