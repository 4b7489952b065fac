import type { SignedMessage } from '../protocol/message.ts'
import type { Storage } from '../storage/storage.ts'
import type { ViewDelivery } from '../storage/views.ts'

// Matching of webhooks, inside the transaction that applies events to the views: an event is matched exactly
// once, and what has to be delivered is stored together with the position behind it.

/** What one event did, in the order of the log. */
export type MatchedEvent = {
  /** Id of the event; `eventTime` is its time. */
  readonly id: number
  /** The message that was stored. */
  readonly added: SignedMessage | undefined
  /** The messages that left the store: replaced, removed, pruned, revoked, or ended by a compact state. */
  readonly removed: readonly SignedMessage[]
  /** Fids that were registered for the first time. */
  readonly registered: readonly number[]
  /** Fids whose profile, names, verifications or custody changed. */
  readonly updated: readonly number[]
}

/** The deliveries that a batch of events causes. Called once for each event, in the order of the log. */
export type Matcher = (events: readonly MatchedEvent[]) => Promise<readonly ViewDelivery[]>

/** Makes the matcher of the views' thread. `storage` reads the present state of the store. */
export const createMatcher =
  (_storage: Storage): Matcher =>
  async () => []
