import { nextEventId } from '../../protocol/event-id.ts'
import type { Writer } from '../storage.ts'
import type { NewEvent } from './events.ts'

/**
 * The events of one transaction under the hub's lock. Ids are given in the order of `nextId` and only
 * grow, even when the clock steps back; `flush` writes those not yet written; the transaction must end with one.
 */
export class EventLog {
  readonly #tx: Writer
  readonly nowMs: number
  #events: NewEvent[] = []
  #lastId: number

  constructor(tx: Writer, nowMs: number) {
    this.#tx = tx
    this.nowMs = nowMs
    this.#lastId = tx.newestId
  }

  /** An id for an event that is appended later, or for a message whose event it will be. */
  nextId(): number {
    this.#lastId = nextEventId(this.#lastId, this.nowMs)
    return this.#lastId
  }

  /** The newest id that was given, here or before. */
  get lastId(): number {
    return this.#lastId
  }

  append(event: NewEvent): void {
    this.#events.push(event)
  }

  async flush(): Promise<void> {
    const events = this.#events.splice(0)
    if (events.length > 0) await this.#tx.events.append(events)
  }
}
