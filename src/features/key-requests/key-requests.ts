import type { Job } from '../../kernel/jobs/job.ts'
import type { PlatformContext } from '../platform/context.ts'
import { maintenanceJob, runMaintenance } from './maintenance.ts'
import { KeyRequestStreams } from './streams.ts'

/** Signed key requests: how an app obtains a key from a user. */
export type KeyRequests = {
  readonly streams: KeyRequestStreams
  /** Resumes interrupted approvals and deletes expired requests. Also runs periodically. */
  runMaintenance(): Promise<void>
  readonly maintenanceJob: Job
}

export const createKeyRequests = (context: PlatformContext): KeyRequests => ({
  streams: new KeyRequestStreams(context),
  runMaintenance: () => runMaintenance(context),
  maintenanceJob: maintenanceJob(context),
})
