import { workerData } from 'node:worker_threads'
import { joinStorage, type StorageSettings } from '../../storage/storage.ts'
import type { ScoreChunk } from '../../storage/tables/badges.ts'
import { computeSet } from './compute.ts'
import { chunksOf } from './records.ts'
import { finishRun, putChunks, type Run } from './runs.ts'
import type { BadgeSettings } from './settings.ts'

export type ComputeRequest = Run & {
  readonly storage: StorageSettings
  readonly settings: BadgeSettings
  /** Unix ms. */
  readonly now: number
}

/** Rows of records stored in one transaction: a megabyte, for which others wait some milliseconds. */
const CHUNKS_PER_WRITE = 16

const { storage: storageSettings, claim, lease, settings, now } = workerData as ComputeRequest
const run = { claim, lease }
const storage = joinStorage(storageSettings)
try {
  const computed = await computeSet(storage, { settings, now })
  let chunks: ScoreChunk[] = []
  for (const chunk of chunksOf(computed.records())) {
    chunks.push(chunk)
    if (chunks.length < CHUNKS_PER_WRITE) continue
    await putChunks(storage, run, chunks)
    chunks = []
  }
  await putChunks(storage, run, chunks)
  await finishRun(storage, run, { ...computed, now })
} finally {
  await storage.close()
}
