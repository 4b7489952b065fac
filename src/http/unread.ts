import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Rejection } from '../protocol/rejection.ts'
import { ClientBudget, clientOf } from './client-budget.ts'

const MIB = 1024 * 1024
/** Bytes of answers that clients have not read yet, over all interfaces of this process. */
const MAX_UNREAD_BYTES = 128 * MIB
/** The same for one client. */
const MAX_UNREAD_BYTES_PER_CLIENT = 16 * MIB
/** Shorter answers fit into the buffers of a socket, which the bound on connections limits. */
const MIN_COUNTED_BYTES = 16 * 1024
/** A client that takes nothing of an answer for this long is gone. */
const STALL_TIMEOUT_MS = 30_000

/** The budget of interfaces that have none of their own. */
export const processUnread = new ClientBudget({
  total: MAX_UNREAD_BYTES,
  perClient: MAX_UNREAD_BYTES_PER_CLIENT,
})

type Bounds = { readonly budget: ClientBudget; readonly stallTimeoutMs?: number | undefined }

/**
 * Counts the bytes of an answer that is about to be sent until it was taken, and ends the connection of a client that
 * takes nothing. Throws a Rejection when too many bytes wait for this client, or in all.
 */
export function countUnread(
  response: ServerResponse,
  address: string,
  bytes: number,
  { budget, stallTimeoutMs = STALL_TIMEOUT_MS }: Bounds,
): void {
  if (bytes < MIN_COUNTED_BYTES) return
  const client = clientOf(address)
  if (!budget.take(client, bytes)) {
    const text = 'too many answers were not read yet'
    throw new Rejection('unavailable.overloaded', text, { retryAfterSeconds: 1 })
  }
  const { socket } = response
  response.once('close', () => budget.release(client, bytes))
  // Requests without a connection have a socket that is none.
  if (!(socket instanceof Socket)) return
  const end = () => socket.destroy()
  socket.setTimeout(stallTimeoutMs, end)
  response.once('close', () => socket.off('timeout', end).setTimeout(0))
}
