import { equalBytes, fromHex } from '../../protocol/codec/bytes.ts'
import { BLOCK_HASH_BYTES, MAX_UINT32 } from '../../protocol/sizes.ts'
import { ChainFault } from './fault.ts'

// Parses answers of nodes. An answer that does not fit its question is refused: nodes lag behind, change their
// minds in a reorg, are several behind a balancer, and break.

type Hex = `0x${string}`

export type Header = {
  readonly number: number
  readonly hash: Uint8Array
  /** Unix seconds. */
  readonly timestamp: number
}

export type Log = {
  /** In lower case. */
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: number
  readonly blockHash: Uint8Array
  /** Unix seconds; some nodes leave it out. */
  readonly blockTimestamp: number | undefined
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
}

export type Filter = {
  readonly fromBlock: number
  readonly toBlock: number
  /** In lower case. */
  readonly addresses: readonly Hex[]
  readonly topics: readonly Hex[]
}

/** A number as JSON-RPC writes it: hex without leading zeros. */
export const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** A block; undefined when the node does not have it. */
export function readHeader(answer: unknown): Header | undefined {
  if (answer === null) return undefined
  const { number, hash, timestamp } = fieldsOf(answer, 'a block')
  return {
    number: parseQuantity(number, 'number'),
    hash: hashOf(hash, 'hash'),
    timestamp: parseQuantity(timestamp, 'timestamp'),
  }
}

/** Returns logs in chain order. Throws a ChainFault when a log was not asked for. */
export function readLogs(answer: unknown, filter: Filter): Log[] {
  if (!Array.isArray(answer)) throw new ChainFault('malformed', 'logs are not a list')
  const logs = answer.map(readLog)
  for (const [i, log] of logs.entries()) {
    checkAsked(log, filter)
    if (i > 0) checkOrder(logs[i - 1]!, log)
  }
  return logs
}

function readLog(entry: unknown): Log {
  const fields = fieldsOf(entry, 'a log')
  const { blockNumber, blockTimestamp, topics, data, address, removed } = fields
  if (removed === true) throw suspicious('a log that was removed')
  if (blockNumber === null) throw suspicious('a log that is in no block')
  if (!Array.isArray(topics) || topics.length > 4) throw malformed('topics')
  return {
    address: hex(address, 'address').toLowerCase() as Hex,
    topics: topics.map(topicOf),
    data: hex(data, 'data'),
    blockNumber: parseQuantity(blockNumber, 'blockNumber'),
    blockHash: hashOf(fields.blockHash, 'blockHash'),
    blockTimestamp:
      blockTimestamp == null ? undefined : parseQuantity(blockTimestamp, 'blockTimestamp'),
    transactionHash: hashOf(fields.transactionHash, 'transactionHash'),
    transactionIndex: parseQuantity(fields.transactionIndex, 'transactionIndex'),
    logIndex: parseQuantity(fields.logIndex, 'logIndex'),
  }
}

function checkAsked({ address, topics, blockNumber }: Log, filter: Filter): void {
  if (blockNumber < filter.fromBlock || blockNumber > filter.toBlock) {
    throw suspicious(`a log of block ${blockNumber}, which was not asked for`)
  }
  if (!filter.addresses.includes(address)) throw suspicious(`a log of ${address}`)
  if (!filter.topics.includes(topics[0]!)) throw suspicious('a log of another event')
}

function checkOrder(before: Log, log: Log): void {
  if (before.blockNumber === log.blockNumber) {
    if (!equalBytes(before.blockHash, log.blockHash)) throw suspicious('two blocks of one number')
    if (before.blockTimestamp !== log.blockTimestamp) throw suspicious('two times of one block')
  }
  const order = before.blockNumber - log.blockNumber || before.logIndex - log.logIndex
  if (order >= 0) throw suspicious('logs that repeat or are out of order')
}

function fieldsOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw malformed(what)
  return value as Record<string, unknown>
}

/** Reads a number as JSON-RPC writes it. Block numbers, times and indexes fit 32 bits; throws otherwise. */
export function parseQuantity(value: unknown, field: string): number {
  const number = typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) ? Number(value) : -1
  if (number < 0 || number > MAX_UINT32) throw malformed(field)
  return number
}

function hex(value: unknown, field: string): Hex {
  if (typeof value !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(value)) throw malformed(field)
  return value as Hex
}

function hashOf(value: unknown, field: string): Uint8Array {
  const bytes = typeof value === 'string' && value.startsWith('0x') ? fromHex(value) : undefined
  if (bytes?.length !== BLOCK_HASH_BYTES) throw malformed(field)
  return bytes
}

function topicOf(value: unknown): Hex {
  hashOf(value, 'topics')
  return (value as string).toLowerCase() as Hex
}

const malformed = (what: string) => new ChainFault('malformed', `${what} has another form`)
const suspicious = (what: string) => new ChainFault('suspicious', what)
