import { type BadgeReader, ranksOf } from '../storage/badges.ts'
import type { Scores } from './ranking.ts'

const NO_TRUST = 0.4
const SOME_TRUST = 0.5
const SHARE_OF_RANK = 0.49
/** Rows of scores that are read at a time: half a megabyte. */
const CHUNKS_AT_A_TIME = 8

/**
 * Reads the scores of the newest set of badges: 1 with a badge, 0.5 to 0.99 by rank with any trust, else 0.4. The
 * returned function reads them again when there is a newer set.
 */
export function createScores(badges: BadgeReader): () => Promise<Scores> {
  let run = 0
  let scores: Scores
  return async () => {
    const [newest] = await badges.list(1)
    if (!newest) return undefined
    if (newest.id === run) return scores
    const current = await badges.byId(newest.id)
    const ranks = new Map<number, number>()
    const starts = await badges.chunkStarts(newest.id)
    for (let at = 0; at < starts.length; at += CHUNKS_AT_A_TIME) {
      for (const chunk of await badges.chunks(newest.id, starts.slice(at, at + CHUNKS_AT_A_TIME))) {
        for (const { fid, rank } of ranksOf(chunk)) if (rank > 0) ranks.set(fid, rank)
      }
    }
    const holders = new Set(current?.fids ?? [])
    const ranked = Math.max(1, ranks.size)
    run = newest.id
    scores = (fid) => {
      if (holders.has(fid)) return 1
      const rank = ranks.get(fid)
      return rank === undefined ? NO_TRUST : SOME_TRUST + SHARE_OF_RANK * (1 - rank / ranked)
    }
    return scores
  }
}
