import { HubEventType } from '../protocol/wire/hub_event_pb.js'
import type { SourceEvent } from './events.ts'
import { EVENT_TYPES, IDS_PER_BLOCK } from './source.ts'

const ASKED: ReadonlySet<number> = new Set(EVENT_TYPES)

/** A block with all events that were asked for, in the order of their ids. */
export type WholeBlock = {
  readonly number: number
  readonly hash: Uint8Array
  readonly events: readonly SourceEvent[]
}

type Open = {
  readonly number: number
  readonly hash: Uint8Array
  readonly expected: number
  readonly events: Map<number, SourceEvent>
}

/** Events of blocks up to `upTo` are missing. */
export type Gap = { readonly upTo: number }

/** Puts the blocks of a shard of Snapchain together and notices what is missing. */
export class Blocks {
  #last: number
  #open: Open | undefined

  constructor(lastBlock: number) {
    this.#last = lastBlock
  }

  /** The last block that was whole. */
  get last(): number {
    return this.#last
  }

  /** Begins again after this block. */
  restart(lastBlock: number): void {
    this.#last = lastBlock
    this.#open = undefined
  }

  /** Takes the next event. Returns the block that it completes, or a gap, after which `restart` has to be called. */
  take(event: SourceEvent): WholeBlock | Gap | undefined {
    const number = Math.floor(event.id / IDS_PER_BLOCK)
    if (number <= this.#last || !ASKED.has(event.type)) return undefined
    const open = this.#open
    if (event.what.kind === 'block') {
      if (open?.number === number) return undefined
      if (open || number !== this.#last + 1) return { upTo: number }
      const { hash, countsByType, totalEvents } = event.what.block
      const { BLOCK_CONFIRMED } = HubEventType
      const counts = [...countsByType].filter(
        ([type]) => ASKED.has(type) && type !== BLOCK_CONFIRMED,
      )
      const others =
        countsByType.size > 0 ? counts.reduce((sum, [, n]) => sum + n, 0) : totalEvents - 1
      const expected = others + 1
      this.#open = { number, hash, expected, events: new Map([[event.id, event]]) }
    } else {
      if (open?.number !== number) return { upTo: number }
      open.events.set(event.id, event)
    }
    return this.#complete()
  }

  #complete(): WholeBlock | undefined {
    const open = this.#open
    if (!open || open.events.size < open.expected) return undefined
    this.#last = open.number
    this.#open = undefined
    return {
      number: open.number,
      hash: open.hash,
      events: [...open.events.values()].sort((a, b) => a.id - b.id),
    }
  }
}
