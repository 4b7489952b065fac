import { MessageType } from '../../kernel/protocol/wire/message_pb.js'
import { HashSet } from './hash-set.ts'
import { placeOf, type SourceEvent, typeOfMessage } from './source/events.ts'

/**
 * What events have done to a person since their comparison began. A page that was read before an event still has the message
 * that the event took away, so such messages are not merged from pages.
 */
export class Watch {
  readonly #lost = new HashSet()
  #events = 0
  #hasCompacted = false

  /** Events of the person that were applied. */
  get events(): number {
    return this.#events
  }

  /** Whether an event has removed links without naming them. */
  get hasCompacted(): boolean {
    return this.#hasCompacted
  }

  /** Whether an event has pruned, revoked or replaced this message. */
  hasLost(hash: Uint8Array): boolean {
    return this.#lost.has(hash)
  }

  /** Takes an event that is about to be applied. Returns whether it removes messages without naming them. */
  note({ what }: SourceEvent): boolean {
    this.#events++
    const lost = what.kind === 'remove' ? [what.message] : what.kind === 'merge' ? what.deleted : []
    for (const message of lost) {
      const place = placeOf(message)
      if (place) this.#lost.add(place.hash)
    }
    // A compact state removes links, and its event does not say which.
    const isCompact =
      what.kind === 'merge' && typeOfMessage(what.message) === MessageType.LINK_COMPACT_STATE
    this.#hasCompacted ||= isCompact
    return isCompact
  }
}
