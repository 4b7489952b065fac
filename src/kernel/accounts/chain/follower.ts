import { unixSeconds } from '../../base/clock.ts'
import { equalBytes } from '../../protocol/codec/bytes.ts'
import type { OnChainEvent } from '../../protocol/wire/onchain_event_pb.js'
import type { ChainBlock } from '../../storage/tables/chain.ts'
import type { Header, Log } from './answers.ts'
import { type ApplyOptions, ChainWriting, REMEMBERED_BLOCKS, samePosition } from './apply.ts'
import { ChainFault, type FaultKind } from './fault.ts'
import { type FollowedContract, readLog, topicsOf, UnreadableLogError } from './logs.ts'
import type { ChainMetrics } from './metrics.ts'
import { ChainNode } from './node.ts'
import { NodePool } from './node-pool.ts'
import { type ChainSource, SOURCE_CONTRACTS, type SourceName } from './source.ts'

type FollowerOptions = ApplyOptions & {
  readonly source: ChainSource
  readonly metrics: ChainMetrics
  readonly log: FollowerLog
  /**
   * Whether this process is the leader. Only the leader follows; other processes only read the head of the
   * chain and the stored position. True by default.
   */
  readonly isLeader?: () => boolean
  /** From 0 to 1, for the jitter of the backoff. */
  readonly random?: () => number
  /** Milliseconds that only grow, for the backoff; independent of the network's clock. */
  readonly now?: () => number
  /** The longest wait for an answer. */
  readonly timeoutMs?: number
}

export type FollowerLog = {
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}

/** How far a source has been followed. */
export type FollowerStatus = {
  readonly source: SourceName
  readonly chainId: number
  /** Head of the chain at the last poll. */
  readonly headBlock: number | undefined
  readonly followedBlock: number | undefined
  /** Confirmed blocks that were not read yet. */
  readonly blocksBehind: number | undefined
  readonly secondsBehind: number | undefined
  /** Every block that was confirmed at the last poll has been read. */
  readonly isCaughtUp: boolean
  /** Why following has stopped for good, if it has. */
  readonly stopped: string | undefined
  /** The last failure of each URL, in the order of the setting; undefined after a success. */
  readonly faults: readonly (FaultKind | undefined)[]
}

/**
 * Blocks behind the position that are read again with each range. A node that lags behind its own head may
 * have left out a log; the overlap finds it without another request.
 */
const OVERLAP_BLOCKS = 32
/** The largest part of a range that the overlap may take, for nodes that accept short ranges only. */
const OVERLAP_PART = 1 / 8
/** Blocks compared at a time in the search for the common ancestor of a reorg. */
const COMPARED_BLOCKS = 16
/** Wait after a failure of our own, for example of the database. */
const OWN_FAULT_WAIT_MS = 2_000
/** How long this process leaves following to another one that was faster. */
const STAND_BY_POLLS = 3

/**
 * Reads a chain's account events, range by range, into the tables that the ledger fills otherwise. The position
 * is stored in the transaction that stores the events. So a process may stop at any time, and two processes
 * on one database never store a range twice.
 */
export class ChainFollower {
  readonly #options: FollowerOptions
  readonly #source: ChainSource
  readonly #ended = new AbortController()
  readonly #byAddress: ReadonlyMap<string, FollowedContract>
  /** Which logs are read of each range. */
  readonly #filter: {
    readonly addresses: readonly `0x${string}`[]
    readonly topics: `0x${string}`[]
  }
  readonly #nodes: NodePool<ChainNode>
  readonly #writing: ChainWriting
  /** Newest block of the node in use; undefined when it must be asked again. */
  #head: Header | undefined
  #headBlock: number | undefined
  /** The position as this process stored it last. */
  #position: ChainBlock | undefined
  /** The head at which everything was read and no reorg was found. */
  #checkedHead: Header | undefined
  #stopped: string | undefined
  /** Nodes that have none of the stored blocks. */
  readonly #parted = new Set<ChainNode>()

  constructor(options: FollowerOptions) {
    const { source, metrics, timeoutMs } = options
    const { now = () => performance.now(), random = Math.random } = options
    const contracts = SOURCE_CONTRACTS[source.name]
    this.#options = options
    this.#source = source
    this.#byAddress = new Map(
      contracts.map((contract) => [source.contracts[contract]!.toLowerCase(), contract]),
    )
    const addresses = [...this.#byAddress.keys()] as `0x${string}`[]
    this.#filter = { addresses, topics: topicsOf(contracts) }
    this.#nodes = new NodePool(
      source.urls.map((url, index) => {
        const onAsked = (method: string) => metrics.asked(source.name, index, method)
        const { chainId } = source
        const { signal } = this.#ended
        return new ChainNode({ url, index, chainId, signal, timeoutMs, onAsked })
      }),
      { now, random },
    )
    this.#writing = new ChainWriting(options, source)
  }

  /**
   * Polls until there is nothing more to read. Returns the milliseconds to wait until the next poll. Aborting
   * the signal ends the follower and its requests for good. Never throws.
   */
  async follow(signal: AbortSignal): Promise<number> {
    const end = () => this.#ended.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    try {
      while (!this.#ended.signal.aborted && this.#stopped === undefined) {
        const waitMs = await this.step()
        if (waitMs > 0) return waitMs
      }
      return this.#source.pollMs
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** Polls once. Returns the milliseconds to wait until the next poll. Never throws. */
  async step(): Promise<number> {
    const node = this.#nodes.find()
    if (!node) return this.#nodes.waitMs()
    try {
      const waitMs = await this.#poll(node)
      this.#nodes.succeeded(node)
      return waitMs
    } catch (error) {
      if (this.#ended.signal.aborted) return 0
      if (error instanceof ChainFault) return this.#afterFault(node, error)
      const facts = { err: error, source: this.#source.name }
      this.#options.log.error(facts, 'chain follower: a read or a write failed')
      return OWN_FAULT_WAIT_MS
    }
  }

  status(): FollowerStatus {
    const { name, chainId } = this.#source
    const position = this.#position
    const headBlock = this.#headBlock
    const isKnown = headBlock !== undefined && position !== undefined
    const target = headBlock === undefined ? 0 : headBlock - this.#source.confirmations
    const blocksBehind = isKnown ? Math.max(0, target - position.number) : undefined
    const nowSeconds = unixSeconds(this.#options.clock)
    return {
      source: name,
      chainId,
      headBlock,
      followedBlock: position?.number,
      blocksBehind,
      secondsBehind: position && Math.max(0, nowSeconds - position.timestamp),
      isCaughtUp: blocksBehind === 0 && this.#stopped === undefined,
      stopped: this.#stopped,
      faults: this.#nodes.faults(),
    }
  }

  /** One poll. Returns the wait until the next, in milliseconds. */
  async #poll(node: ChainNode): Promise<number> {
    const { storage, isLeader = () => true } = this.#options
    const position = await storage.chain.newest(this.#source.name)
    const isElsewhere = this.#position !== undefined && !samePosition(this.#position, position)
    this.#position = position
    await node.checkChain()
    if (isElsewhere || !isLeader()) return this.#standBy(node)
    if (!position) return this.#begin(node)
    let head = this.#head
    if (!head || this.#targetOf(head) <= position.number + node.range.blocks) {
      head = await node.head()
      this.#head = head
    }
    if (head.number < position.number) {
      throw new ChainFault('behind', `its newest block is ${head.number}`)
    }
    this.#headBlock = head.number
    if (this.#targetOf(head) > position.number) return this.#readOn(node, head, position)
    return this.#stayAt(node, head, position)
  }

  #targetOf({ number }: Header): number {
    return number - this.#source.confirmations
  }

  get #standByMs(): number {
    return this.#source.pollMs * STAND_BY_POLLS
  }

  /** Another process follows. Requests cost money, so only the head and the position are read. */
  async #standBy(node: ChainNode): Promise<number> {
    this.#headBlock = (await node.head()).number
    return this.#standByMs
  }

  /** Stores the block before the first one, so that a reorg always has a common ancestor. */
  async #begin(node: ChainNode): Promise<number> {
    const [base] = await node.headers([this.#source.startBlock - 1])
    await this.#writing.begin(base!)
    this.#position = base
    return 0
  }

  async #readOn(node: ChainNode, newest: Header, position: ChainBlock): Promise<number> {
    const { name, startBlock, pollMs } = this.#source
    const { blocks } = node.range
    const overlap = Math.min(OVERLAP_BLOCKS, Math.floor(blocks * OVERLAP_PART))
    const fromBlock = Math.max(startBlock, position.number + 1 - overlap)
    const toBlock = Math.min(this.#targetOf(newest), position.number + blocks - overlap)
    const logs = await node.logs({ fromBlock, toBlock, ...this.#filter })
    const times = await node.times(logs)
    // The head is unchanged, so all logs are of the same chain.
    const numbers = [position.number, toBlock, newest.number]
    const [before, end, anchor] = await node.headers(numbers)
    if (!samePosition(before, position)) return this.#rollBack(node, position)
    this.#parted.delete(node)
    if (!equalBytes(anchor!.hash, newest.hash)) {
      this.#head = undefined
      throw new ChainFault('moved', 'the chain changed while it was read')
    }
    checkEnds(logs, [before!, end!])
    const isNew = ({ blockNumber }: Log) => blockNumber > position.number
    const events = logs.flatMap((one) =>
      this.#eventOf(one, times.get(one.blockNumber)!, isNew(one)),
    )
    const merged = await this.#writing.apply(position, { events, end: end! })
    node.range.answered(logs.length)
    if (merged === undefined) return this.#standByMs
    this.#options.metrics.merged(name, merged)
    this.#position = end
    if (toBlock < this.#targetOf(newest)) return 0
    this.#checkedHead = newest
    return pollMs
  }

  /** No new blocks, but a reorg may have replaced some without making the chain longer. */
  async #stayAt(node: ChainNode, newest: Header, position: ChainBlock): Promise<number> {
    const { pollMs } = this.#source
    if (this.#checkedHead && equalBytes(this.#checkedHead.hash, newest.hash)) return pollMs
    const [now] = await node.headers([position.number])
    if (!samePosition(now, position)) return this.#rollBack(node, position)
    this.#parted.delete(node)
    this.#checkedHead = newest
    return pollMs
  }

  /** Rolls back to the newest stored block that is still on the chain. */
  async #rollBack(node: ChainNode, position: ChainBlock): Promise<number> {
    const { name, urls } = this.#source
    const { log, metrics } = this.#options
    this.#head = undefined
    this.#checkedHead = undefined
    // The URL may now belong to a node of another chain.
    node.distrust()
    await node.checkChain()
    const ancestor = await this.#findAncestor(node)
    if (!ancestor) {
      // One node with wrong blocks must not stop the follower: the others are asked first.
      if (this.#parted.add(node).size < urls.length) {
        throw new ChainFault('moved', 'none of the blocks that were read is on its chain')
      }
      this.#stopped = `none of the last ${REMEMBERED_BLOCKS} blocks that were read is on the chain any more`
      const facts = { source: name, position: position.number }
      log.error(facts, `following stopped for good: ${this.#stopped}`)
      return 0
    }
    const removed = await this.#writing.rollBack(position, ancestor)
    if (removed === undefined) return this.#standByMs
    this.#position = ancestor
    metrics.rolledBack(name, removed)
    const blocks = position.number - ancestor.number
    const facts = { source: name, from: position.number, to: ancestor.number, removed }
    log.warn(facts, `reorg detected: rolled back ${blocks} blocks to ${ancestor.number}`)
    return 0
  }

  async #findAncestor(node: ChainNode): Promise<ChainBlock | undefined> {
    const { storage } = this.#options
    const blocks = await storage.chain.blocks(this.#source.name, REMEMBERED_BLOCKS)
    for (let at = 0; at < blocks.length; at += COMPARED_BLOCKS) {
      const some = blocks.slice(at, at + COMPARED_BLOCKS)
      const now = await node.headers(some.map(({ number }) => number))
      const same = some.find((block, i) => samePosition(block, now[i]))
      if (same) return same
    }
    return undefined
  }

  #eventOf(one: Log, blockTime: number, isNew: boolean): OnChainEvent[] {
    const { name, chainId } = this.#source
    try {
      const contract = this.#byAddress.get(one.address)!
      const event = readLog(contract, one, { chainId, blockTime })
      return event ? [event] : []
    } catch (error) {
      if (!(error instanceof UnreadableLogError)) throw error
      if (isNew) {
        const { blockNumber, logIndex } = one
        const facts = { source: name, blockNumber, logIndex }
        this.#options.log.warn(facts, `log skipped: ${error.message}`)
        this.#options.metrics.skipped(name, 1)
      }
      return []
    }
  }

  #afterFault(node: ChainNode, fault: ChainFault): number {
    const { name } = this.#source
    const { kind, message } = fault
    this.#options.metrics.failed(name, node.index, kind)
    if (kind === 'refused range' && node.range.refused()) return 0
    this.#nodes.failed(node, fault)
    this.#options.log.warn({ source: name, url: node.index, kind }, `RPC node failed: ${message}`)
    // Another node may have another head.
    this.#head = undefined
    return this.#nodes.waitMs()
  }
}

/** A block's hash in its logs must be the hash of its header. */
function checkEnds(logs: readonly Log[], headers: readonly Header[]): void {
  for (const { number, hash } of headers) {
    const log = logs.find(({ blockNumber }) => blockNumber === number)
    if (log && !equalBytes(log.blockHash, hash)) {
      throw new ChainFault('moved', `block ${number} is another one in its logs`)
    }
  }
}
