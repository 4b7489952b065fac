import type { EventLog } from '../storage/messages/event-log.ts'
import type { Writer } from '../storage/storage.ts'
import { sealBlock } from './events.ts'
import { loadAccountState } from './load-account-state.ts'
import { mergeOnChainEvents } from './on-chain-events.ts'
import { decideGrowth } from './rent-rules.ts'
import { ledgerSettings } from './settings.ts'

/** What the events of a ledger depend on. */
export type GrowthTerms = {
  readonly chainId: number
  readonly network: number
  /** Days until units end; undefined: they do not. */
  readonly storageDays: number | undefined
}

/**
 * Rents units for fids of a ledger in the transaction of the messages that need them, as the ledger's next block: everybody
 * who follows its events knows the new limits before the messages.
 */
export async function growStorage(
  tx: Writer,
  log: EventLog,
  units: ReadonlyMap<number, number>,
  { nowMs, ...terms }: GrowthTerms & { readonly nowMs: number },
): Promise<void> {
  const settings = ledgerSettings(terms)
  const wanted = { addresses: [], contracts: [], rentFids: [...units.keys()] }
  const state = await loadAccountState(tx, wanted, settings.maxPendingEvents)
  const now = Math.floor(nowMs / 1_000)
  const accountEvents = decideGrowth(state, units, { settings, now })
  const block = { chainId: terms.chainId, blockNumber: state.block + 1, timestamp: now }
  await mergeOnChainEvents(tx, log, sealBlock(accountEvents, block))
}
