import type { OnChainEvent } from '../protocol/wire/onchain_event_pb.js'
import type { EventLog } from '../storage/event-log.ts'
import type { Writer } from '../storage/storage.ts'

export type MergeOptions = {
  /**
   * What an ADMIN_RESET does to a key. The contract makes it unknown again (the default); the deployed
   * hubs make it active as first added, which matters only to who replays their chain.
   */
  readonly resetActivates?: boolean
}

/**
 * The one place where on-chain events become account state: their rows, what they change, and one hub event
 * each. Events that are known already change nothing. Whatever the order in which events arrive, the
 * state after all of them is the same. Answers with the events that were new, in chain order.
 */
export async function mergeOnChainEvents(
  _tx: Writer,
  _log: EventLog,
  _events: readonly OnChainEvent[],
  _options: MergeOptions = {},
): Promise<readonly OnChainEvent[]> {
  throw new Error('not written yet')
}
