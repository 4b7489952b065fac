import { workerData } from 'node:worker_threads'
import { type JoinSettings, joinStorage } from '../../kernel/storage/storage.ts'
import { computeSet } from './compute.ts'
import { finishRun, type Run } from './runs.ts'
import type { BadgeSettings } from './settings.ts'

export type ComputeRequest = Run & {
  readonly storage: JoinSettings
  readonly settings: BadgeSettings
  /** Unix ms. */
  readonly now: number
}

const { storage: storageSettings, claim, lease, settings, now } = workerData as ComputeRequest
const storage = joinStorage(storageSettings)
try {
  const computed = await computeSet(storage, { settings, now })
  await finishRun(storage, { claim, lease }, { ...computed, now })
} finally {
  await storage.close()
}
