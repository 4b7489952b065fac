import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { KeyRequestContext } from './context.ts'
import { settled } from './gasless.ts'
import { TRANSITIONS, type Transition } from './key-request-states.ts'
import {
  isExpired,
  type KeyRequestState,
  keyRequestRows,
  type StoredKeyRequest,
} from './tables/key-requests.ts'

export async function getRequest(
  { storage }: Pick<KeyRequestContext, 'storage'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await storage.of(keyRequestRows).byToken(token)
  if (!request) throw unknownRequest()
  return request
}

/** The same, completed if the hub has its key. */
export async function getSettled(
  context: Pick<KeyRequestContext, 'storage' | 'now'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const [request] = await settled(context, [await getRequest(context, token)])
  if (!request) throw unknownRequest()
  return request
}

/**
 * The same for apps that wait for its completion. One that has expired is an error: apps that know only the documented
 * states stop waiting then.
 */
export async function getAwaited(
  context: Pick<KeyRequestContext, 'storage' | 'now'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await getSettled(context, token)
  if (!isExpired(request, context.now())) return request
  const text =
    'the deadline of this signed key request has passed without an approval; make a new request'
  throw new Rejection('not_found', text, { field: 'token', reason: 'expired' })
}

/**
 * Replaces a request under the lock of accounts. Throws a Rejection unless the transition can start from its state.
 */
export async function changeRequest(
  { storage }: KeyRequestContext,
  token: Uint8Array,
  transition: Transition,
  decide: (tx: Writer, request: StoredKeyRequest) => Promise<StoredKeyRequest>,
): Promise<StoredKeyRequest> {
  return storage.write('hub', async (tx) => {
    const request = await tx.of(keyRequestRows).byToken(token)
    if (!request) throw unknownRequest()
    const { from }: { from: readonly KeyRequestState[] } = TRANSITIONS[transition]
    if (!from.includes(request.state)) {
      const text = `the request is ${request.state} already`
      throw new Rejection('bad_request.conflict', text, { field: 'token' })
    }
    const changed = await decide(tx, request)
    await tx.of(keyRequestRows).put([changed])
    return changed
  })
}

export const unknownRequest = () =>
  new Rejection('not_found', 'Signed key request does not exist or is over', { field: 'token' })
