import { HubEventType } from '../../../kernel/protocol/wire/hub_event_pb.js'
import type { SourceEvent } from './events.ts'
import { EVENT_TYPES, IDS_PER_BLOCK } from './source.ts'

const ASKED: ReadonlySet<number> = new Set(EVENT_TYPES)
/** More than a block has. */
const MAX_UNLOGGED = 1_000

export const blockOf = ({ id }: Pick<SourceEvent, 'id'>): number => Math.floor(id / IDS_PER_BLOCK)

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

/**
 * Puts the blocks of a shard of Snapchain together and notices what is missing. Snapchain counts changes of gasless keys in
 * a block, tells of them once, with id 0, and does not log them: such a block is whole when its log was read.
 */
export class Blocks {
  #last: number
  #open: Open | undefined
  #unlogged: SourceEvent[] = []

  constructor(lastBlock: number) {
    this.#last = lastBlock
  }

  /** The last block that was whole. */
  get last(): number {
    return this.#last
  }

  /** Events of the block that is open. */
  get held(): number {
    return this.#open?.events.size ?? 0
  }

  /** Events that no log has, once. */
  takeUnlogged(): SourceEvent[] {
    return this.#unlogged.splice(0)
  }

  /** Begins again after this block. */
  restart(lastBlock: number): void {
    this.#last = lastBlock
    this.#open = undefined
  }

  /** Takes the next event. Returns the block that it completes, or a gap, after which `restart` has to be called. */
  take(event: SourceEvent): WholeBlock | Gap | undefined {
    if (event.id === 0) this.#noteUnlogged(event)
    const number = blockOf(event)
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

  #noteUnlogged(event: SourceEvent): void {
    if (this.#unlogged.length < MAX_UNLOGGED) this.#unlogged.push(event)
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

/** The blocks after this one in events of a log. Each is whole whatever it counts: it is stored together with its events. */
export function loggedBlocks(events: readonly SourceEvent[], after: number): WholeBlock[] {
  const blocks: WholeBlock[] = []
  for (const [number, own] of Map.groupBy(events, blockOf)) {
    const first = own[0]!.what
    if (number !== after + blocks.length + 1 || first.kind !== 'block') break
    blocks.push({ number, hash: first.block.hash, events: own })
  }
  return blocks
}
