import type { Job } from '../../kernel/jobs/job.ts'
import { fromHex, toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { KeyRequestContext } from './context.ts'
import { createKeyRequest, type NewKeyRequest } from './create.ts'
import { settled } from './gasless.ts'
import { maintenanceJob, runMaintenance } from './maintenance.ts'
import { approvalUrlOf } from './request-json.ts'
import { KeyRequestStreams } from './streams.ts'
import { keyRequestRows, type StoredKeyRequest } from './tables/key-requests.ts'

/** Signed key requests: how an app obtains a key from a user. */
export type KeyRequests = {
  readonly streams: KeyRequestStreams
  /** Resolves to the token of the new request, in hex. */
  create(request: NewKeyRequest): Promise<string>
  byToken(token: string): Promise<StoredKeyRequest | undefined>
  approvalUrl(token: string): string
  /** Resumes interrupted approvals and deletes expired requests. Also runs periodically. */
  runMaintenance(): Promise<void>
  readonly maintenanceJob: Job
}

export const keyRequestOperations = (context: KeyRequestContext): KeyRequests => ({
  streams: new KeyRequestStreams(context),
  create: async (request) => toHex((await createKeyRequest(context, request)).token),
  async byToken(token) {
    const found = await context.storage.of(keyRequestRows).byToken(fromHex(token)!)
    return found && (await settled(context, [found]))[0]
  },
  approvalUrl: (token) => approvalUrlOf(context, token),
  runMaintenance: () => runMaintenance(context),
  maintenanceJob: maintenanceJob(context),
})
