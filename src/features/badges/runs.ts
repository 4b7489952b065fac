import { randomUUID } from 'node:crypto'
import { checkLease, type LeaseTerm } from '../../kernel/jobs/job.ts'
import type { Storage, Writer } from '../../kernel/storage/storage.ts'
import type { Computed } from './compute.ts'
import { chunksOf } from './records.ts'
import { BADGES_VERSION, type BadgeClaim, badgeRows } from './tables/badges.ts'

// The leader computes. Each of its transactions checks the leader lease, so that a process that was the
// leader once cannot store anything.

/** The id of the newest request to compute the set again; empty once that is done. */
export const REQUEST_CURSOR = 'power-badges-request'

/** A run that the leader has begun. Plain data: it is handed to a worker thread. */
export type Run = { readonly claim: BadgeClaim; readonly lease: LeaseTerm }

/** Begins a run for the Tuesday that is due, in Unix ms. It replaces an interrupted one. */
export const beginRun = (storage: Storage, due: number, lease: LeaseTerm): Promise<Run> =>
  storage.write('all/badges', async (tx) => {
    await checkLease(tx, lease)
    return { claim: await tx.of(badgeRows).claim(due, lease.holder), lease }
  })

/** Replaces the set of badges with a computed one. Until then nothing of a run is stored. */
export const finishRun = (
  storage: Storage,
  { claim, lease }: Run,
  { fids, summary, records, now }: Computed & { readonly now: number },
): Promise<void> =>
  storage.write('all/badges', async (tx) => {
    await checkLease(tx, lease)
    const set = { computedAt: now, summary: JSON.stringify(summary), fids }
    if (!(await tx.of(badgeRows).finish(claim, set))) {
      throw new Error('the data was deleted during the run of power badges')
    }
    for (const chunk of chunksOf(records())) await tx.of(badgeRows).putChunk(claim.id, chunk)
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
