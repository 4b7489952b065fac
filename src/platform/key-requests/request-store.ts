import { Rejection } from '../../protocol/rejection.ts'
import type { KeyRequestState, StoredKeyRequest } from '../../storage/key-requests.ts'
import type { Writer } from '../../storage/storage.ts'
import type { PlatformContext } from '../context.ts'

export async function getRequest(
  { storage }: Pick<PlatformContext, 'storage'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await storage.keyRequests.byToken(token)
  if (!request) throw unknownRequest()
  return request
}

/** Replaces a request that is in one of these states, under the lock of accounts. */
export async function changeRequest(
  { storage }: PlatformContext,
  token: Uint8Array,
  from: readonly KeyRequestState[],
  decide: (tx: Writer, request: StoredKeyRequest) => Promise<StoredKeyRequest>,
): Promise<StoredKeyRequest> {
  return storage.write('hub', async (tx) => {
    const request = await tx.keyRequests.byToken(token)
    if (!request) throw unknownRequest()
    if (!from.includes(request.state)) {
      const text = `the request is ${request.state} already`
      throw new Rejection('bad_request.conflict', text, { field: 'token' })
    }
    const changed = await decide(tx, request)
    await tx.keyRequests.put([changed])
    return changed
  })
}

export const unknownRequest = () =>
  new Rejection('not_found', 'Signed key request does not exist or is over', { field: 'token' })
