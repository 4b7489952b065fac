import { randomUUID } from 'node:crypto'
import { checkLease, type LeaseTerm } from '../../jobs/job.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import { BADGES_VERSION, type BadgeClaim, type ScoreChunk } from '../../storage/tables/badges.ts'
import type { Computed } from './compute.ts'
import { KEPT_SETS } from './rules.ts'

// The leader computes. Each of its transactions checks the leader lease, so that a process that was the
// leader once cannot store anything.

/** The id of the newest request to compute the set again; empty once that is done. */
export const REQUEST_CURSOR = 'power-badges-request'

type RunRequest = {
  /** Unix ms of the Tuesday that is due. */
  readonly due: number
  /** Compute even when the set of that Tuesday exists. */
  readonly again: boolean
  readonly lease: LeaseTerm
}

/** A run that the leader has begun. Plain data: it is handed to a worker thread. */
export type Run = { readonly claim: BadgeClaim; readonly lease: LeaseTerm }

/** All data was deleted during the run. */
class RunLostError extends Error {
  constructor() {
    super('the run of power badges was deleted')
  }
}

/** Begins a run, replacing an interrupted one; undefined when the set exists. */
export function beginRun(storage: Storage, request: RunRequest): Promise<Run | undefined> {
  const { due, again, lease } = request
  return storage.write('all/badges', async (tx) => {
    await checkLease(tx, lease)
    const { badges } = tx
    const [newest] = await badges.list(1)
    if (!again && newest && newest.due >= due) return undefined
    await badges.dropClaims((await badges.claims()).map(({ id }) => id))
    const claim = { id: (await badges.newestId()) + 1, due, claimant: lease.holder }
    await badges.claim(claim)
    return { claim, lease }
  })
}

/** Stores records of a run; they are not read before the run is finished. */
export const putChunks = (
  storage: Storage,
  { claim: { id, claimant }, lease }: Run,
  chunks: readonly ScoreChunk[],
): Promise<void> =>
  storage.write('all/badges', async (tx) => {
    await checkLease(tx, lease)
    const claims = await tx.badges.claims()
    if (!claims.some((held) => held.id === id && held.claimant === claimant))
      throw new RunLostError()
    await tx.badges.putChunks(id, chunks)
  })

/** Replaces the published set of badges with a computed one. */
export const finishRun = (
  storage: Storage,
  { claim, lease }: Run,
  { fids, summary, now }: Pick<Computed, 'fids' | 'summary'> & { readonly now: number },
): Promise<void> =>
  storage.write('all/badges', async (tx) => {
    await checkLease(tx, lease)
    const set = { computedAt: now, summary: JSON.stringify(summary), fids }
    if (!(await tx.badges.finish(claim, set))) throw new RunLostError()
    await tx.badges.keepNewest(KEPT_SETS)
    await changeVersion(tx)
  })

/** Requests another computation from the process that is the leader. */
export const requestRun = (storage: Storage): Promise<void> =>
  storage.write('all/badges', (tx) => tx.cursors.put(REQUEST_CURSOR, randomUUID()))

/** Removes a request that was served; a newer one stays. */
export const endRequest = (storage: Storage, request: string): Promise<void> =>
  storage.write('all/badges', async (tx) => {
    if ((await tx.cursors.get(REQUEST_CURSOR)) === request) await tx.cursors.put(REQUEST_CURSOR, '')
  })

export const changeVersion = (tx: Writer): Promise<void> =>
  tx.cursors.put(BADGES_VERSION, randomUUID())
