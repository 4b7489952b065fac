import type { Clock } from '../../clock.ts'
import { equalBytes } from '../../protocol/bytes.ts'
import {
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/wire/onchain_event_pb.js'
import type { ChainBlock } from '../../storage/chain.ts'
import { EventLog } from '../../storage/event-log.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import { mergeAndTell } from '../on-chain-events.ts'
import type { OnMerged, OnTakenBack } from '../port.ts'
import { removeEventsAfter } from '../rebuild.ts'
import type { Header } from './answers.ts'
import { type ChainSource, eventTypesOf, resetsActivate, storedSource } from './source.ts'

/** Blocks that are remembered, to find where a chain that changed its mind parted from what was read. */
export const REMEMBERED_BLOCKS = 128
/** Events that one transaction brings, so that submits need not wait long; a single block may have more. */
const EVENTS_PER_TRANSACTION = 1_000

export type ApplyOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly onMerged: OnMerged
  readonly onTakenBack?: OnTakenBack
}

/** Blocks that were read, up to and including `end`. */
export type ReadRange = {
  /** In chain order; some may be of blocks that were read before. */
  readonly events: readonly OnChainEvent[]
  readonly end: ChainBlock
}

/**
 * Writes down what was read of a chain. Each write begins by looking whether the source still is where the reader
 * found it: when another process was faster it does nothing and answers with undefined.
 */
export class ChainWriting {
  readonly #options: ApplyOptions
  readonly #source: ChainSource
  readonly #resetsActivate: boolean

  constructor(options: ApplyOptions, source: ChainSource) {
    this.#options = options
    this.#source = source
    this.#resetsActivate = resetsActivate(storedSource(source))
  }

  /** `base` is the block before the first that is read. */
  async begin(base: ChainBlock): Promise<void> {
    await this.#write(undefined, async (tx) => {
      await tx.chain.putSource(storedSource(this.#source))
      await tx.chain.insertBlocks(this.#source.name, [base])
    })
  }

  /** In portions, each with the position it leads to. Answers with how many events were new. */
  async apply(position: ChainBlock, range: ReadRange): Promise<number | undefined> {
    let merged = 0
    let from = position
    for (const portion of portionsOf(range)) {
      const added = await this.#write(from, (tx) => this.#applyPortion(tx, from, portion))
      if (added === undefined) return undefined
      merged += added
      if (portion.end.number > from.number) from = portion.end
    }
    return merged
  }

  async #applyPortion(tx: Writer, from: ChainBlock, { events, end }: ReadRange): Promise<number> {
    const nowMs = this.#options.clock.now()
    const log = new EventLog(tx, nowMs)
    // To go back over a key's whole past costs something, and only a reset asks for it.
    const resetActivates = this.#resetsActivate && events.some(isReset)
    const merged = await mergeAndTell(tx, log, events, this.#options.onMerged, { resetActivates })
    await log.flush()
    const { name } = this.#source
    const blocks = blocksOf(events, end).filter(({ number }) => number > from.number)
    await tx.chain.insertBlocks(name, blocks.slice(-REMEMBERED_BLOCKS))
    await tx.chain.pruneBlocks(name, REMEMBERED_BLOCKS)
    return merged.length
  }

  /** Takes back everything above `ancestor`. Answers with how many events are gone. */
  async rollBack(position: ChainBlock, ancestor: ChainBlock): Promise<number | undefined> {
    const { name } = this.#source
    return this.#write(position, async (tx) => {
      await tx.chain.removeBlocksAfter(name, ancestor.number)
      const options = { resetActivates: this.#resetsActivate }
      const removed = await removeEventsAfter(tx, ancestor.number, eventTypesOf(name), options)
      await this.#options.onTakenBack?.(tx, removed)
      return removed.length
    })
  }

  #write<T>(
    position: ChainBlock | undefined,
    work: (tx: Writer) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#options.storage.write('hub', async (tx) =>
      samePosition(await tx.chain.newest(this.#source.name), position) ? work(tx) : undefined,
    )
  }
}

export const samePosition = (a: ChainBlock | undefined, b: ChainBlock | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.number === b.number && equalBytes(a.hash, b.hash)

/** Cut between blocks, never within one. */
function* portionsOf({ events, end }: ReadRange): Generator<ReadRange> {
  let portion: OnChainEvent[] = []
  for (const event of events) {
    const last = portion.at(-1)
    if (last && portion.length >= EVENTS_PER_TRANSACTION && last.blockNumber < event.blockNumber) {
      yield { events: portion, end: blockOf(last) }
      portion = []
    }
    portion.push(event)
  }
  yield { events: portion, end }
}

/** Those with events, and the last. */
function blocksOf(events: readonly OnChainEvent[], end: Header): ChainBlock[] {
  const blocks = new Map(events.map((event) => [event.blockNumber, blockOf(event)]))
  return [...blocks.set(end.number, end).values()]
}

const blockOf = ({ blockNumber, blockHash, blockTimestamp }: OnChainEvent): ChainBlock => ({
  number: blockNumber,
  hash: blockHash,
  timestamp: Number(blockTimestamp),
})

const isReset = ({ type, body }: OnChainEvent) =>
  type === OnChainEventType.EVENT_TYPE_SIGNER &&
  body.case === 'signerEventBody' &&
  body.value.eventType === SignerEventType.ADMIN_RESET
