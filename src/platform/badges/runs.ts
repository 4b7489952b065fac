import { randomUUID } from 'node:crypto'
import type { BadgeClaim, ScoreChunk } from '../../storage/badges.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import type { Computed } from './compute.ts'
import { KEPT_SETS } from './rules.ts'

// One run at a time on all machines: it is claimed in the store by a process, which renews the claim as
// long as it computes. What a process that died had claimed is free again when its lease is over.

export const LEASE_MS = 60_000
export const RENEWAL_MS = 15_000

/** Changes with every change of what `current` answers. */
export const VERSION_CURSOR = 'power-badges'

export type RunRequest = {
  /** Unix ms: the Tuesday that is due. */
  readonly due: number
  readonly now: number
  readonly claimant: string
  /** Even when that Tuesday's set is there. */
  readonly again: boolean
}

/** Somebody else has taken the run over, or all data was deleted. */
export class RunLostError extends Error {
  constructor() {
    super('the run of power badges is no longer ours')
  }
}

/** Claims a run; undefined when it is done already or somebody is at it. */
export function claimRun(storage: Storage, request: RunRequest): Promise<BadgeClaim | undefined> {
  const { due, now, claimant, again } = request
  return storage.write('platform', async (tx) => {
    const { badges } = tx
    const [newest] = await badges.list(1)
    if (!again && newest && newest.due >= due) return undefined
    const claims = await badges.claims()
    if (claims.some((one) => one.claimant !== claimant && one.leasedUntil > now)) return undefined
    await badges.dropClaims(claims.map(({ id }) => id))
    const claim = {
      id: (await badges.newestId()) + 1,
      due,
      claimant,
      leasedUntil: now + LEASE_MS,
    }
    await badges.claim(claim)
    return claim
  })
}

/** Says whether the run is still ours. */
export const renewRun = (storage: Storage, claim: BadgeClaim, now: number): Promise<boolean> =>
  storage.write('platform', (tx) => tx.badges.renew({ ...claim, leasedUntil: now + LEASE_MS }))

/** Stores records of a run; nobody reads them before it is finished. */
export const putChunks = (
  storage: Storage,
  { id, claimant }: BadgeClaim,
  chunks: readonly ScoreChunk[],
): Promise<void> =>
  storage.write('platform', async (tx) => {
    const claims = await tx.badges.claims()
    if (!claims.some((held) => held.id === id && held.claimant === claimant))
      throw new RunLostError()
    await tx.badges.putChunks(id, chunks)
  })

/** Puts a computed set in force, whole. */
export const finishRun = (
  storage: Storage,
  claim: BadgeClaim,
  { fids, summary, now }: Pick<Computed, 'fids' | 'summary'> & { readonly now: number },
): Promise<void> =>
  storage.write('platform', async (tx) => {
    const set = { computedAt: now, summary: JSON.stringify(summary), fids }
    if (!(await tx.badges.finish(claim, set))) throw new RunLostError()
    await tx.badges.keepNewest(KEPT_SETS)
    await changeVersion(tx)
  })

export const dropRun = (storage: Storage, { id }: BadgeClaim): Promise<void> =>
  storage.write('platform', (tx) => tx.badges.dropClaims([id]))

export const changeVersion = (tx: Writer): Promise<void> =>
  tx.cursors.put(VERSION_CURSOR, randomUUID())
