import { setImmediate as otherWork } from 'node:timers/promises'
import { networkTime } from '../../protocol/time.ts'
import type { Storage } from '../../storage/storage.ts'
import type { BadgeMark, BadgeRun, BadgeSet } from '../../storage/tables/badges.ts'
import { EDGE_KINDS, type EdgeKind, type EdgePosition } from '../../storage/tables/graph.ts'
import type { RunSummary } from './compute.ts'
import { type FilledIn, readFilledIn } from './profile.ts'
import { type Failure, failuresOf, readRecords } from './records.ts'
import { ACTIVITY_WINDOW_SECONDS, INTERACTION_WINDOW_SECONDS, WEIGHTS } from './rules.ts'
import { shareOf } from './score.ts'

/** An account that gave a part of a score, and by which interactions. */
type Giver = {
  readonly fid: number
  readonly gave: number
  readonly by: readonly EdgeKind[]
}

/** Why a fid has or lacks a badge. */
export type Explanation = {
  readonly fid: number
  /** The present answer: the set with the operator's changes. */
  readonly hasBadge: boolean
  readonly mark: BadgeMark | undefined
  /** The run that decided it; undefined before the first run. */
  readonly run: (Omit<BadgeRun, 'summary'> & { readonly summary: RunSummary }) | undefined
  readonly score: number
  /** From 1; undefined for accounts without a score. */
  readonly rank: number | undefined
  readonly supporters: number
  /** What it lacked in that run. The profile was checked only when nothing else was lacking. */
  readonly failed: readonly Failure[]
  /** The present state. */
  readonly profile: FilledIn
  readonly isActive: boolean
  /** The number of accounts with interactions that count, and those that gave the most. */
  readonly giverCount: number
  readonly givers: readonly Giver[]
  /** Whether all of them were read; of very many only some are. */
  readonly isComplete: boolean
}

/** How much of what was done to an account is read to explain its score, in batches of some ms. */
const MAX_EDGES = 200_000
const EDGES_PER_READ = 2_000
const GIVERS_SHOWN = 20

type Store = Pick<Storage, 'badges' | 'graph' | 'published'>

/** Reads the present interactions, with the scores of the run in force. */
export async function explainFid(storage: Store, fid: number, now: number): Promise<Explanation> {
  const { badges, graph, published } = storage
  const [set, mark, [profile], active] = await Promise.all([
    badges.current(),
    badges.mark(fid),
    readFilledIn(published.messages, [fid]),
    graph.castSince([fid], networkTime(now) - ACTIVITY_WINDOW_SECONDS),
  ])
  const own = set && (await readRecords(badges, set.id, [fid])).get(fid)
  return {
    fid,
    hasBadge: mark ? mark.kind === 'add' : (set?.fids.includes(fid) ?? false),
    mark,
    run: set && { ...set, summary: JSON.parse(set.summary) as RunSummary },
    score: own?.score ?? 0,
    rank: own?.rank || undefined,
    supporters: own?.supporters ?? 0,
    failed: set && !own ? ['below threshold'] : failuresOf(own?.failed ?? 0),
    profile: profile!,
    isActive: active.length > 0,
    ...(await giversOf(storage, fid, set)),
  }
}

async function giversOf(
  { badges, graph }: Store,
  fid: number,
  set: BadgeSet | undefined,
): Promise<Pick<Explanation, 'giverCount' | 'givers' | 'isComplete'>> {
  if (!set) return { giverCount: 0, givers: [], isComplete: true }
  const until = networkTime(set.computedAt)
  const deeds = new Map<number, Set<EdgeKind>>()
  let left = MAX_EDGES
  let isComplete = true
  for (const kind of EDGE_KINDS) {
    const since = kind === 'follow' ? 0 : until - INTERACTION_WINDOW_SECONDS
    let after: EdgePosition | undefined
    do {
      if (left <= 0) {
        isComplete = false
        break
      }
      const limit = EDGES_PER_READ
      left -= limit
      after = await graph.edges({ kind, to: fid, after, limit }, (from, _to, timestamp) => {
        if (from === fid || timestamp < since || timestamp > until) return
        deeds.set(from, (deeds.get(from) ?? new Set()).add(kind))
      })
      await otherWork()
    } while (after)
  }
  const records = await readRecords(badges, set.id, deeds.keys())
  const givers = [...deeds].flatMap(([from, kinds]): Giver[] => {
    const record = records.get(from)
    if (!record) return []
    const by = [...kinds]
    const weight = by.reduce((sum, kind) => sum + WEIGHTS[kind], 0)
    return [{ fid: from, gave: record.mass * shareOf(weight, record.budget), by }]
  })
  givers.sort((a, b) => b.gave - a.gave || a.fid - b.fid)
  return { giverCount: deeds.size, givers: givers.slice(0, GIVERS_SHOWN), isComplete }
}
