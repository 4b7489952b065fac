// A JSON-RPC node with a generated chain: four events in every other block, of one account each. It runs in its
// own process and reports its URL to its parent.

import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbiParameters, toHex } from 'viem'
import {
  EVENT_ABI,
  type LogQuestion,
  registered,
  rented,
  serveChain,
  type Written,
} from '../test/log-chain.ts'
import { EVENTS_PER_ACCOUNT, FIRST_BLOCK, lastBlockOf } from './chain.ts'

/** Limits that providers commonly have. */
const MAX_LOGS = 10_000
const GENESIS_TIME = 1_700_000_000
const METADATA = `0x${'ab'.repeat(288)}` as const
const KEY_DATA = parseAbiParameters('bytes, uint8, bytes')

const events = Number(process.argv[2])
const head = lastBlockOf(events)
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, 'b')}` as const

function logsOf(block: number): object[] {
  if (block % 2 === 1 || block < FIRST_BLOCK || block > head) return []
  const fid = (block - FIRST_BLOCK) / 2 + 1
  const entries = [
    registered(fid, `owner ${fid}`),
    rented(fid, 1),
    added(fid, keccak256(toHex(`${fid}a`))),
    added(fid, keccak256(toHex(`${fid}b`))),
  ]
  return entries.map((log, i) => ({
    ...log,
    blockNumber: toHex(block),
    blockHash: hashOf(block),
    blockTimestamp: toHex(GENESIS_TIME + block * 2),
    transactionHash: hashOf(block),
    transactionIndex: '0x0',
    logIndex: toHex(i),
    removed: false,
  }))
}

function added(fid: number, key: `0x${string}`): Written {
  const args = { fid: BigInt(fid), keyType: 1, key }
  return {
    ...rented(fid, 1),
    address: '0x00000000Fc1237824fb747aBDE0FF18990E59b7e',
    topics: encodeEventTopics({ abi: EVENT_ABI, eventName: 'Add', args }) as `0x${string}`[],
    data: encodeAbiParameters(KEY_DATA, [key, 1, METADATA]),
  }
}

const header = (block: number) => ({
  number: toHex(block),
  hash: hashOf(block),
  timestamp: toHex(GENESIS_TIME + block * 2),
})

const node = await serveChain({
  answer(method, params) {
    if (method === 'eth_chainId') return toHex(10)
    if (method === 'eth_getBlockByNumber') {
      return header(params[0] === 'latest' ? head : Number(params[0]))
    }
    const { fromBlock, toBlock } = params[0] as LogQuestion
    const blocks = Array.from(
      { length: Number(toBlock) - Number(fromBlock) + 1 },
      (_, i) => Number(fromBlock) + i,
    )
    return blocks.flatMap(logsOf)
  },
})
node.misbehave = ({ method, params }) => {
  if (method !== 'eth_getLogs') return undefined
  const { fromBlock, toBlock } = params[0] as LogQuestion
  const logs = ((Number(toBlock) - Number(fromBlock)) * EVENTS_PER_ACCOUNT) / 2
  const message = `query returned more than ${MAX_LOGS} results`
  return logs > MAX_LOGS ? { error: { code: -32005, message } } : undefined
}
process.on('message', () => process.send?.(node.asked))
process.on('disconnect', () => process.exit(0))
process.send?.({ url: node.url })
