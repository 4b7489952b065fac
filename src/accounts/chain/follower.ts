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

export interface Follower {
  status(): FollowerStatus
  /** Polls once. Returns the milliseconds to wait until the next poll. Never throws. */
  step(): Promise<number>
  /**
   * Polls until there is nothing more to read. Returns the milliseconds to wait until the next poll. Aborting
   * the signal ends the follower and its requests for good. Never throws.
   */
  follow(signal: AbortSignal): Promise<number>
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
export function createFollower(options: FollowerOptions): Follower {
  const { source, storage, clock, metrics, log } = options
  const {
    now = () => performance.now(),
    random = Math.random,
    timeoutMs,
    isLeader = () => true,
  } = options
  const ended = new AbortController()
  const contracts = SOURCE_CONTRACTS[source.name]
  const byAddress = new Map<string, FollowedContract>(
    contracts.map((contract) => [source.contracts[contract]!.toLowerCase(), contract]),
  )
  const question = {
    addresses: [...byAddress.keys()] as `0x${string}`[],
    topics: topicsOf(contracts),
  }
  const nodes = new NodePool(
    source.urls.map((url, index) => {
      const onAsked = (method: string) => metrics.asked(source.name, index, method)
      const { chainId } = source
      return new ChainNode({ url, index, chainId, signal: ended.signal, timeoutMs, onAsked })
    }),
    { now, random },
  )
  const writing = new ChainWriting(options, source)

  /** Newest block of the node in use; undefined when it must be asked again. */
  let head: Header | undefined
  let headBlock: number | undefined
  /** The position as this process stored it last. */
  let known: ChainBlock | undefined
  /** The head at which everything was read and no reorg was found. */
  let settledHead: Header | undefined
  let stopped: string | undefined
  /** Nodes that have none of the stored blocks. */
  const parted = new Set<ChainNode>()

  const targetOf = ({ number }: Header) => number - source.confirmations

  /** One poll. Returns the wait until the next, in milliseconds. */
  async function look(node: ChainNode): Promise<number> {
    const position = await storage.chain.newest(source.name)
    const isElsewhere = known !== undefined && !samePosition(known, position)
    known = position
    await node.checkChain()
    if (isElsewhere || !isLeader()) return standBy(node)
    if (!position) return begin(node)
    if (!head || targetOf(head) <= position.number + node.range.blocks) head = await node.head()
    if (head.number < position.number) {
      throw new ChainFault('behind', `its newest block is ${head.number}`)
    }
    headBlock = head.number
    if (targetOf(head) > position.number) return readOn(node, head, position)
    return stayAt(node, head, position)
  }

  /** Another process follows. Requests cost money, so only the head and the position are read. */
  async function standBy(node: ChainNode): Promise<number> {
    headBlock = (await node.head()).number
    return source.pollMs * STAND_BY_POLLS
  }

  /** Stores the block before the first one, so that a reorg always has a common ancestor. */
  async function begin(node: ChainNode): Promise<number> {
    const [base] = await node.headers([source.startBlock - 1])
    await writing.begin(base!)
    known = base
    return 0
  }

  async function readOn(node: ChainNode, newest: Header, position: ChainBlock): Promise<number> {
    const { blocks } = node.range
    const overlap = Math.min(OVERLAP_BLOCKS, Math.floor(blocks * OVERLAP_PART))
    const fromBlock = Math.max(source.startBlock, position.number + 1 - overlap)
    const toBlock = Math.min(targetOf(newest), position.number + blocks - overlap)
    const logs = await node.logs({ fromBlock, toBlock, ...question })
    const times = await node.times(logs)
    // The head is unchanged, so all logs are of the same chain.
    const numbers = [position.number, toBlock, newest.number]
    const [before, end, anchor] = await node.headers(numbers)
    if (!samePosition(before, position)) return rollBack(node, position)
    parted.delete(node)
    if (!equalBytes(anchor!.hash, newest.hash)) {
      head = undefined
      throw new ChainFault('moved', 'the chain changed while it was read')
    }
    checkEnds(logs, [before!, end!])
    const isNew = ({ blockNumber }: Log) => blockNumber > position.number
    const events = logs.flatMap((one) => eventOf(one, times.get(one.blockNumber)!, isNew(one)))
    const merged = await writing.apply(position, { events, end: end! })
    node.range.answered(logs.length)
    if (merged === undefined) return source.pollMs * STAND_BY_POLLS
    metrics.merged(source.name, merged)
    known = end
    if (toBlock < targetOf(newest)) return 0
    settledHead = newest
    return source.pollMs
  }

  /** No new blocks, but a reorg may have replaced some without making the chain longer. */
  async function stayAt(node: ChainNode, newest: Header, position: ChainBlock): Promise<number> {
    if (settledHead && equalBytes(settledHead.hash, newest.hash)) return source.pollMs
    const [now] = await node.headers([position.number])
    if (!samePosition(now, position)) return rollBack(node, position)
    parted.delete(node)
    settledHead = newest
    return source.pollMs
  }

  /** Rolls back to the newest stored block that is still on the chain. */
  async function rollBack(node: ChainNode, position: ChainBlock): Promise<number> {
    head = undefined
    settledHead = undefined
    // The URL may now belong to a node of another chain.
    node.distrust()
    await node.checkChain()
    const ancestor = await findAncestor(node)
    if (!ancestor) {
      // One node with wrong blocks must not stop the follower: the others are asked first.
      if (parted.add(node).size < source.urls.length) {
        throw new ChainFault('moved', 'none of the blocks that were read is on its chain')
      }
      stopped = `none of the last ${REMEMBERED_BLOCKS} blocks that were read is on the chain any more`
      log.error(
        { source: source.name, position: position.number },
        `following stopped for good: ${stopped}`,
      )
      return 0
    }
    const removed = await writing.rollBack(position, ancestor)
    if (removed === undefined) return source.pollMs * STAND_BY_POLLS
    known = ancestor
    metrics.rolledBack(source.name, removed)
    const blocks = position.number - ancestor.number
    const facts = { source: source.name, from: position.number, to: ancestor.number, removed }
    log.warn(facts, `reorg detected: rolled back ${blocks} blocks to ${ancestor.number}`)
    return 0
  }

  async function findAncestor(node: ChainNode): Promise<ChainBlock | undefined> {
    const blocks = await storage.chain.blocks(source.name, REMEMBERED_BLOCKS)
    for (let at = 0; at < blocks.length; at += COMPARED_BLOCKS) {
      const some = blocks.slice(at, at + COMPARED_BLOCKS)
      const now = await node.headers(some.map(({ number }) => number))
      const same = some.find((block, i) => samePosition(block, now[i]))
      if (same) return same
    }
    return undefined
  }

  function eventOf(one: Log, blockTime: number, isNew: boolean): OnChainEvent[] {
    try {
      const contract = byAddress.get(one.address)!
      const event = readLog(contract, one, { chainId: source.chainId, blockTime })
      return event ? [event] : []
    } catch (error) {
      if (!(error instanceof UnreadableLogError)) throw error
      if (isNew) {
        const { blockNumber, logIndex } = one
        log.warn({ source: source.name, blockNumber, logIndex }, `log skipped: ${error.message}`)
        metrics.skipped(source.name, 1)
      }
      return []
    }
  }

  async function step(): Promise<number> {
    const node = nodes.find()
    if (!node) return nodes.waitMs()
    try {
      const waitMs = await look(node)
      nodes.succeeded(node)
      return waitMs
    } catch (error) {
      if (ended.signal.aborted) return 0
      if (!(error instanceof ChainFault)) {
        log.error({ err: error, source: source.name }, 'chain follower: a read or a write failed')
        return OWN_FAULT_WAIT_MS
      }
      return afterFault(node, error)
    }
  }

  function afterFault(node: ChainNode, fault: ChainFault): number {
    const { kind, message } = fault
    metrics.failed(source.name, node.index, kind)
    if (kind === 'refused range' && node.range.refused()) return 0
    nodes.failed(node, fault)
    log.warn({ source: source.name, url: node.index, kind }, `RPC node failed: ${message}`)
    // Another node may have another head.
    head = undefined
    return nodes.waitMs()
  }

  return {
    step,
    status() {
      const target = headBlock === undefined ? undefined : headBlock - source.confirmations
      const isKnown = target !== undefined && known !== undefined
      const blocksBehind = isKnown ? Math.max(0, target - known!.number) : undefined
      return {
        source: source.name,
        chainId: source.chainId,
        headBlock,
        followedBlock: known?.number,
        blocksBehind,
        secondsBehind: known && Math.max(0, unixSeconds(clock) - known.timestamp),
        isCaughtUp: blocksBehind === 0 && stopped === undefined,
        stopped,
        faults: nodes.faults(),
      }
    },
    async follow(signal) {
      const end = () => ended.abort()
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      try {
        while (!ended.signal.aborted && stopped === undefined) {
          const waitMs = await step()
          if (waitMs > 0) return waitMs
        }
        return source.pollMs
      } finally {
        signal.removeEventListener('abort', end)
      }
    },
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
