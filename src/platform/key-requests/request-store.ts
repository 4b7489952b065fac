import { BatchLoader } from '../../base/concurrency.ts'
import { fromHex, toHex } from '../../protocol/codec/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { Writer } from '../../storage/storage.ts'
import {
  isExpired,
  type KeyRequestState,
  type StoredKeyRequest,
} from '../../storage/tables/key-requests.ts'
import type { PlatformContext } from '../context.ts'
import { TRANSITIONS, type Transition } from './key-request-states.ts'

export async function getRequest(
  { storage }: Pick<PlatformContext, 'storage'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  const request = await storage.keyRequests.byToken(token)
  if (!request) throw unknownRequest()
  return request
}

/** Requests of one statement. */
const MAX_POLLED = 128

/** The same for apps that wait for it. An app that knows only the states of the brief learns by the error that it is over. */
export async function getAwaited(
  context: Pick<PlatformContext, 'storage' | 'now'>,
  token: Uint8Array,
): Promise<StoredKeyRequest> {
  return checkNotExpired(await getRequest(context, token), context.now())
}

function checkNotExpired(request: StoredKeyRequest, now: number): StoredKeyRequest {
  if (!isExpired(request, now)) return request
  const text =
    'the deadline of this signed key request has passed without an approval; make a new request'
  throw new Rejection('not_found', text, { field: 'token', reason: 'expired' })
}

/** The same for apps that poll: on PostgreSQL the requests that are asked for in one turn are read with one statement. */
export function polledRequests(context: PlatformContext) {
  const { keyRequests, versions } = context.storage
  if (versions) return (token: Uint8Array) => getAwaited(context, token)
  const loader = new BatchLoader(MAX_POLLED, async (tokens: readonly string[]) => {
    const rows = await keyRequests.byTokens(tokens.map((token) => fromHex(token)!))
    const found = new Map(rows.map((row) => [toHex(row.token), row]))
    return tokens.map((token) => found.get(token))
  })
  return async (token: Uint8Array): Promise<StoredKeyRequest> => {
    const request = await loader.load(toHex(token))
    if (!request) throw unknownRequest()
    return checkNotExpired(request, context.now())
  }
}

/**
 * Replaces a request under the lock of accounts. Throws a Rejection unless the transition can start from its state.
 */
export async function changeRequest(
  { storage }: PlatformContext,
  token: Uint8Array,
  transition: Transition,
  decide: (tx: Writer, request: StoredKeyRequest) => Promise<StoredKeyRequest>,
): Promise<StoredKeyRequest> {
  return storage.write('hub', async (tx) => {
    const request = await tx.keyRequests.byToken(token)
    if (!request) throw unknownRequest()
    const { from }: { from: readonly KeyRequestState[] } = TRANSITIONS[transition]
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
