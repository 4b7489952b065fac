import type { Job } from '../../jobs/job.ts'
import type { StoredKeyRequest } from '../../storage/tables/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { maintenanceJob, runMaintenance } from './maintenance.ts'
import { polledRequests } from './request-store.ts'
import { KeyRequestStreams } from './streams.ts'

/** Signed key requests: how an app obtains a key from a user. */
export type KeyRequests = {
  /** The request with this token, for apps that poll. Throws a Rejection when there is none. */
  polled(token: Uint8Array): Promise<StoredKeyRequest>
  readonly streams: KeyRequestStreams
  /** Resumes interrupted approvals and deletes expired requests. Also runs periodically. */
  runMaintenance(): Promise<void>
  readonly maintenanceJob: Job
}

export const createKeyRequests = (context: PlatformContext): KeyRequests => ({
  polled: polledRequests(context),
  streams: new KeyRequestStreams(context),
  runMaintenance: () => runMaintenance(context),
  maintenanceJob: maintenanceJob(context),
})
