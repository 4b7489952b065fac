import type { Clock } from '../../base/clock.ts'
import type { OnMerged, OnReorg } from '../../module.ts'
import { equalBytes } from '../../protocol/codec/bytes.ts'
import {
  type OnChainEvent,
  OnChainEventType,
  SignerEventType,
} from '../../protocol/wire/onchain_event_pb.js'
import { EventLog } from '../../storage/messages/event-log.ts'
import type { Storage, Writer } from '../../storage/storage.ts'
import type { ChainBlock } from '../../storage/tables/chain.ts'
import { mergeAndTell } from '../on-chain-events.ts'
import { removeEventsAfter } from '../rebuild.ts'
import type { Header } from './answers.ts'
import { type ChainSource, eventTypesOf, resetsActivate, storedSource } from './source.ts'

/** Blocks whose hashes are kept, to find the common ancestor after a reorg: the deepest reorg that is followed. */
export const REMEMBERED_BLOCKS = 128
/** Events of one transaction, so that submits wait only briefly for the lock. A single block may have more. */
const EVENTS_PER_TRANSACTION = 1_000

export type ApplyOptions = {
  readonly storage: Storage
  readonly clock: Clock
  readonly onMerged: OnMerged
  readonly onReorg?: OnReorg
}

/** Blocks that were read, up to and including `end`. */
type ReadRange = {
  /** In chain order; some may be of blocks that were read before. */
  readonly events: readonly OnChainEvent[]
  readonly end: ChainBlock
}

/**
 * Stores what was read of a chain. Each write first compares the stored position with the one that the reader
 * started from. When another process has moved it, nothing is written and the result is undefined.
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

  /** Stores the first position. `base` is the block before the first one to read. */
  async begin(base: ChainBlock): Promise<void> {
    await this.#write(undefined, async (tx) => {
      await tx.chain.putSource(storedSource(this.#source))
      await tx.chain.insertBlocks(this.#source.name, [base])
    })
  }

  /** Writes in batches, each with the position it leads to. Returns how many events were new. */
  async apply(position: ChainBlock, range: ReadRange): Promise<number | undefined> {
    let merged = 0
    let from = position
    for (const batch of batchesOf(range)) {
      const added = await this.#write(from, (tx) => this.#applyBatch(tx, from, batch))
      if (added === undefined) return undefined
      merged += added
      if (batch.end.number > from.number) from = batch.end
    }
    return merged
  }

  async #applyBatch(tx: Writer, from: ChainBlock, { events, end }: ReadRange): Promise<number> {
    const nowMs = this.#options.clock.now()
    const log = new EventLog(tx, nowMs)
    // Only a reset needs a key's whole history, which is slow to read.
    const resetActivates = this.#resetsActivate && events.some(isReset)
    const merged = await mergeAndTell(tx, log, events, this.#options.onMerged, { resetActivates })
    await log.flush()
    const { name } = this.#source
    const blocks = blocksOf(events, end).filter(({ number }) => number > from.number)
    await tx.chain.insertBlocks(name, blocks.slice(-REMEMBERED_BLOCKS))
    await tx.chain.pruneBlocks(name, REMEMBERED_BLOCKS)
    return merged.length
  }

  /** Reorg: removes all events above `ancestor` and what followed from them. Returns how many were removed. */
  async rollBack(position: ChainBlock, ancestor: ChainBlock): Promise<number | undefined> {
    const { name } = this.#source
    return this.#write(position, async (tx) => {
      await tx.chain.removeBlocksAfter(name, ancestor.number)
      const options = { resetActivates: this.#resetsActivate }
      const removed = await removeEventsAfter(tx, ancestor.number, eventTypesOf(name), options)
      await this.#options.onReorg?.(tx, removed)
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

/** Batches end between blocks, never within one. */
function* batchesOf({ events, end }: ReadRange): Generator<ReadRange> {
  let batch: OnChainEvent[] = []
  for (const event of events) {
    const last = batch.at(-1)
    if (last && batch.length >= EVENTS_PER_TRANSACTION && last.blockNumber < event.blockNumber) {
      yield { events: batch, end: blockOf(last) }
      batch = []
    }
    batch.push(event)
  }
  yield { events: batch, end }
}

/** The blocks with events, and the last block of the range. */
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
