import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { Writer } from '../storage/storage.ts'
import type { Custody, Rent, SignerState } from '../storage/tables/accounts.ts'
import { decodeOnChainEvent } from './events.ts'
import {
  bySigner,
  decideCustody,
  decideSigner,
  FID_EVENT_TYPES,
  type MergeOptions,
  rentOf,
} from './on-chain-events.ts'

/** The state that all events of a fid give. */
type AccountState = {
  readonly custody: Custody | undefined
  readonly signers: readonly SignerState[]
  readonly rents: readonly Rent[]
}

/** The state of a fid from all of its events, in any order. */
export function rebuildAccount(
  fid: number,
  events: readonly OnChainEvent[],
  { resetActivates = false }: MergeOptions = {},
): AccountState {
  return {
    custody: decideCustody(fid, undefined, events),
    signers: [...bySigner(events).values()].map((ofKey) => decideSigner(ofKey, resetActivates)),
    rents: events.flatMap(rentOf),
  }
}

/**
 * Rolls back the events of these types above a block, after a reorg. The state of their fids is derived again
 * from the events that remain. Hub events stay. Returns the removed events.
 */
export async function removeEventsAfter(
  tx: Writer,
  block: number,
  types: readonly number[],
  options: MergeOptions = {},
): Promise<OnChainEvent[]> {
  const removed = await tx.accounts.removeEventsAfter(block, types)
  const fids = [...new Set(removed.map(({ fid }) => fid))]
  if (fids.length === 0) return []
  const rows = await tx.accounts.eventsOf(
    fids.flatMap((fid) => FID_EVENT_TYPES.map((type) => ({ fid, type }))),
  )
  const left = Map.groupBy(rows, ({ fid }) => fid)
  const states = fids.map((fid) => {
    const events = (left.get(fid) ?? []).map(({ body }) => decodeOnChainEvent(body))
    return rebuildAccount(fid, events, options)
  })
  await tx.accounts.removeStates(fids)
  await tx.accounts.putCustodies(states.flatMap(({ custody }) => custody ?? []))
  await tx.accounts.putSigners(states.flatMap(({ signers }) => signers))
  await tx.accounts.insertRents(states.flatMap(({ rents }) => rents))
  return removed.map(({ body }) => decodeOnChainEvent(body))
}
