import type { Reader } from '../../kernel/storage/storage.ts'
import type { Scores, Standing } from '../../kernel/views/scores.ts'
import { type BadgeReader, badgeRows, ranksOf } from './tables/badges.ts'

const WITH_BADGE = 1
const NO_TRUST = 0.4
const SOME_TRUST = 0.5
const SHARE_OF_RANK = 0.49
/** Rows of scores that are read at a time: half a megabyte. */
const CHUNKS_AT_A_TIME = 8

/** What badges say about authors. */
export function standingIn({ of }: Pick<Reader, 'of'>): Standing {
  const badges = of(badgeRows)
  return {
    scores: createScores(badges),
    async excluded() {
      const marks = await badges.marks()
      return new Set(marks.filter(({ kind }) => kind === 'exclude').map(({ fid }) => fid))
    },
  }
}

/**
 * Reads the scores of the newest set of badges: 1 with a badge, 0.5 to 0.99 by rank with any trust, else 0.4.
 * An account that the operator added has a badge; one that the operator excluded has neither badge nor trust.
 * The returned function reads one row while nothing has changed.
 */
function createScores(badges: BadgeReader): () => Promise<Scores> {
  let version: string | undefined
  let scores: Scores
  return async () => {
    const newest = await badges.version()
    if (newest === version) return scores
    scores = await readScores(badges)
    version = newest
    return scores
  }
}

async function readScores(badges: BadgeReader): Promise<Scores> {
  const [set, marks] = await Promise.all([badges.current(), badges.marks()])
  if (!set) return undefined
  const ranks = await readRanks(badges, set.id)
  const ranked = Math.max(1, ranks.size)
  const holders = new Set(set.fids)
  for (const { fid, kind } of marks) {
    if (kind === 'add') holders.add(fid)
    else {
      holders.delete(fid)
      ranks.delete(fid)
    }
  }
  return (fid) => {
    if (holders.has(fid)) return WITH_BADGE
    const rank = ranks.get(fid)
    return rank === undefined ? NO_TRUST : SOME_TRUST + SHARE_OF_RANK * (1 - rank / ranked)
  }
}

/** The ranks, from 1, of the accounts with any trust. */
async function readRanks(badges: BadgeReader, run: number): Promise<Map<number, number>> {
  const ranks = new Map<number, number>()
  const starts = await badges.chunkStarts(run)
  for (let at = 0; at < starts.length; at += CHUNKS_AT_A_TIME) {
    for (const chunk of await badges.chunks(run, starts.slice(at, at + CHUNKS_AT_A_TIME))) {
      for (const { fid, rank } of ranksOf(chunk)) if (rank > 0) ranks.set(fid, rank)
    }
  }
  return ranks
}
