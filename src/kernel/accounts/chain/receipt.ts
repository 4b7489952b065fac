import type { OnChainEvent } from '../../protocol/wire/onchain_event_pb.js'
import { type Filter, readHeader, readLogs, toQuantity } from './answers.ts'
import type { ChainContracts } from './contracts.ts'
import { readLog, topicsOf } from './logs.ts'
import type { Rpc } from './rpc.ts'
import type { Receipt } from './transactions.ts'

const CONTRACTS = ['idRegistry', 'keyRegistry', 'storageRegistry'] as const

/** The result of a transaction, as the follower will read it. */
export async function receiptEvents(
  rpc: Rpc,
  { blockNumber, logs }: Receipt,
  { chainId, contracts }: { chainId: number; contracts: ChainContracts },
): Promise<OnChainEvent[]> {
  const nameOf = new Map(CONTRACTS.map((name) => [contracts[name].toLowerCase(), name]))
  const filter: Filter = {
    fromBlock: blockNumber,
    toBlock: blockNumber,
    addresses: [...nameOf.keys()] as Filter['addresses'],
    topics: topicsOf(CONTRACTS),
  }
  const known = logs.filter((log) => {
    const { address, topics } = log as { address: string; topics: readonly `0x${string}`[] }
    return nameOf.has(address.toLowerCase()) && filter.topics.includes(topics[0]!)
  })
  const block = readHeader(await rpc('eth_getBlockByNumber', [toQuantity(blockNumber), false]))!
  return readLogs(known, filter).flatMap((log) => {
    const where = { chainId, blockTime: block.timestamp }
    return readLog(nameOf.get(log.address)!, log, where) ?? []
  })
}
