import { equalBytes } from '../protocol/bytes.ts'
import { IdRegisterEventType, type OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { EventLog } from '../storage/event-log.ts'
import type { Writer } from '../storage/storage.ts'
import { revokeMessages } from './removal.ts'

// A chain that takes a registration back may give its fid to somebody else, as fids are given in sequence. Nearly
// always it comes back to the same: so what was said stays until it is known who has the fid.

/** Remembers who had registered the fids that nobody holds now. */
export const noteOrphans = (tx: Writer, takenBack: readonly OnChainEvent[]): Promise<void> =>
  tx.chain.putOrphans(takenBack.flatMap(registration))

/** Revokes what others have said as the fids that are registered now. */
export async function revokeOrphans(
  tx: Writer,
  log: EventLog,
  events: readonly OnChainEvent[],
): Promise<void> {
  const registered = events.flatMap(registration)
  if (registered.length === 0) return
  const addresses = new Map(registered.map(({ fid, address }) => [fid, address]))
  const orphans = await tx.chain.orphans([...addresses.keys()])
  for (const { fid, address } of orphans) {
    if (!equalBytes(addresses.get(fid)!, address)) await revokeMessages(tx, log, { fid })
  }
  await tx.chain.removeOrphans(orphans.map(({ fid }) => fid))
}

function registration({ fid, body }: OnChainEvent): { fid: number; address: Uint8Array }[] {
  if (body.case !== 'idRegisterEventBody') return []
  const { eventType, to } = body.value
  return eventType === IdRegisterEventType.REGISTER ? [{ fid: Number(fid), address: to }] : []
}
