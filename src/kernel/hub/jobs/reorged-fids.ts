import { equalBytes } from '../../protocol/codec/bytes.ts'
import { IdRegisterEventType, type OnChainEvent } from '../../protocol/wire/onchain_event_pb.js'
import type { EventLog } from '../../storage/messages/event-log.ts'
import type { Writer } from '../../storage/storage.ts'
import { revokeMessages } from '../removal.ts'

// Fids are assigned in sequence, so a reorg that drops a registration may end with the fid registered to another
// address. Usually the same registration comes back in another block. Messages of a reorged fid are therefore kept
// until the fid is registered again, and revoked only when its new registrant is another address.

/** Records the addresses that had registered the fids of reorged registrations. */
export const recordReorgedFids = (tx: Writer, reorged: readonly OnChainEvent[]): Promise<void> =>
  tx.chain.putReorgedFids(reorged.flatMap(registration))

/** Revokes the messages of fids that these events register to another address than before the reorg. */
export async function revokeReassignedFids(
  tx: Writer,
  log: EventLog,
  events: readonly OnChainEvent[],
): Promise<void> {
  const registered = events.flatMap(registration)
  if (registered.length === 0) return
  const addresses = new Map(registered.map(({ fid, address }) => [fid, address]))
  const reorged = await tx.chain.reorgedFids([...addresses.keys()])
  for (const { fid, address } of reorged) {
    if (!equalBytes(addresses.get(fid)!, address)) await revokeMessages(tx, log, { fid })
  }
  await tx.chain.removeReorgedFids(reorged.map(({ fid }) => fid))
}

function registration({ fid, body }: OnChainEvent): { fid: number; address: Uint8Array }[] {
  if (body.case !== 'idRegisterEventBody') return []
  const { eventType, to } = body.value
  return eventType === IdRegisterEventType.REGISTER ? [{ fid: Number(fid), address: to }] : []
}
