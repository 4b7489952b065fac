import { parentPort, workerData } from 'node:worker_threads'
import type { ScoreChunk } from '../../storage/badges.ts'
import { joinStorage, type Storage } from '../../storage/storage.ts'
import { computeSet } from './compute.ts'
import { chunksOf } from './records.ts'
import type { ComputeRequest, ComputeResponse } from './thread.ts'

/** Rows of records stored in one transaction: a megabyte, for which others wait some milliseconds. */
const CHUNKS_PER_WRITE = 16

const { storage: storageSettings, claim, settings, now } = workerData as ComputeRequest
const storage = joinStorage(storageSettings)
try {
  const computed = await computeSet(storage, { settings, now })
  const chunks: ScoreChunk[] = []
  for (const chunk of chunksOf(computed.records())) {
    chunks.push(chunk)
    if (chunks.length === CHUNKS_PER_WRITE) await put(storage, chunks.splice(0))
  }
  await put(storage, chunks)
  const response: ComputeResponse = { fids: computed.fids, summary: computed.summary }
  parentPort?.postMessage(response)
} finally {
  await storage.close()
}

/** Nobody reads the records before the run is done. */
async function put(store: Storage, chunks: ScoreChunk[]): Promise<void> {
  await store.write('platform', async (tx) => {
    const held = await tx.badges.claims()
    if (!held.some(({ id, claimant }) => id === claim.id && claimant === claim.claimant)) {
      throw new Error('the run was taken over or forgotten')
    }
    await tx.badges.putChunks(claim.id, chunks)
  })
}
