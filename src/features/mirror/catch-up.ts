import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../../kernel/storage/storage.ts'
import { readEvent } from './source/events.ts'
import { homeShard } from './source/fid-bucket.ts'
import type { Source, SourceKind } from './source/source.ts'
import { type MirrorShard, mirrorRows } from './tables/mirror.ts'

const POLL_MS = 100
const MAX_WAIT_MS = 15_000
/** Hubble does not say what its newest event is. */
const HUBBLE_WAIT_MS = 2_000

type CatchUpParts = {
  readonly storage: Pick<Storage, 'of'>
  readonly source: Pick<Source, 'info' | 'events'>
  readonly kind: SourceKind
  readonly signal?: AbortSignal
}

/**
 * Waits until the events were applied that the source has now about a fid, so that numbers that were asked before can be
 * compared. Returns false when they were not after a bounded time.
 */
export async function waitUntilApplied(parts: CatchUpParts, fid: number): Promise<boolean> {
  const { storage, kind, signal } = parts
  if (kind === 'hubble') {
    await delay(HUBBLE_WAIT_MS, undefined, { signal })
    return true
  }
  const isApplied = await goalOf(parts, fid)
  const end = performance.now() + MAX_WAIT_MS
  while (!(await storage.of(mirrorRows).shards()).some(isApplied)) {
    if (performance.now() > end) return false
    await delay(POLL_MS, undefined, { signal })
  }
  return true
}

async function goalOf({ source, kind }: CatchUpParts, fid: number) {
  if (kind === 'snapchain') {
    const { shards } = await source.info()
    const home = homeShard(fid, shards.length)
    const height = shards.find(({ shard }) => shard === home)?.height ?? 0
    return ({ shard, block_number }: MirrorShard) => shard === home && block_number >= height
  }
  const [newest] = await source.events(undefined, { from: 0, reverse: true, limit: 1 })
  const id = newest ? readEvent(newest).id : 0
  return ({ cursor }: MirrorShard) => cursor >= id
}
