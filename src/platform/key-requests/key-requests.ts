import type { Job } from '../../jobs/job.ts'
import type { PlatformContext } from '../context.ts'
import { createStreams, type KeyRequestStreams } from './streams.ts'
import { keepUp, maintenanceJob } from './upkeep.ts'

/** Signed key requests: how an app obtains a key from a user. */
export type KeyRequests = {
  readonly streams: KeyRequestStreams
  /** Resumes interrupted approvals and deletes expired requests. Also runs periodically. */
  keepUp(): Promise<void>
  readonly maintenanceJob: Job
}

export const createKeyRequests = (context: PlatformContext): KeyRequests => ({
  streams: createStreams(context),
  keepUp: () => keepUp(context),
  maintenanceJob: maintenanceJob(context),
})
