// A chain that exists only as blocks with logs, served over JSON-RPC by a node that can be made to fail in every way
// in which nodes do. Logs are encoded by viem, so that what reads them is not its own judge.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbi, toHex } from 'viem'
import { DEPLOYED_CHAIN_CONTRACTS } from '../src/kernel/accounts/chain/contracts.ts'
import type { FollowedContract } from '../src/kernel/accounts/chain/logs.ts'

type Hex = `0x${string}`

export const EVENT_ABI = parseAbi([
  'event Register(address indexed to, uint256 indexed id, address recovery)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'event Recover(address indexed from, address indexed to, uint256 indexed id)',
  'event ChangeRecoveryAddress(uint256 indexed id, address indexed recovery)',
  'event Add(uint256 indexed fid, uint32 indexed keyType, bytes indexed key, bytes keyBytes, uint8 metadataType, bytes metadata)',
  'event Remove(uint256 indexed fid, bytes indexed key, bytes keyBytes)',
  'event AdminReset(uint256 indexed fid, bytes indexed key, bytes keyBytes)',
  'event Migrated(uint256 indexed migratedAt)',
  'event Rent(address indexed payer, uint256 indexed fid, uint256 units)',
  'event PurchasedTier(uint256 indexed fid, uint256 indexed tier, uint256 forDays, address indexed payer)',
])

const CONTRACT_OF: Readonly<Record<string, FollowedContract>> = {
  Register: 'idRegistry',
  Transfer: 'idRegistry',
  Recover: 'idRegistry',
  ChangeRecoveryAddress: 'idRegistry',
  Add: 'keyRegistry',
  Remove: 'keyRegistry',
  AdminReset: 'keyRegistry',
  Migrated: 'keyRegistry',
  Rent: 'storageRegistry',
  PurchasedTier: 'tierRegistry',
}

/** What a contract wrote, before it has a place. */
export type Written = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

/** Arguments by the names in EVENT_ABI. */
export function written(event: string, args: Readonly<Record<string, unknown>>): Written {
  const { inputs } = EVENT_ABI.find(({ name }) => name === event)!
  const loose = inputs.filter((input) => !('indexed' in input && input.indexed))
  return {
    address: DEPLOYED_CHAIN_CONTRACTS[CONTRACT_OF[event]!],
    topics: encodeEventTopics({ abi: EVENT_ABI, eventName: event, args } as never) as Hex[],
    data: encodeAbiParameters(
      loose,
      loose.map(({ name }) => args[name!]),
    ),
  }
}

export const addressNamed = (name: string): Hex => `0x${keccak256(toHex(name)).slice(-40)}`
export const keyNamed = (name: string): Hex => keccak256(toHex(`key ${name}`))

export const registered = (fid: number, to: string, recovery = 'nobody') =>
  written('Register', { to: addressNamed(to), id: BigInt(fid), recovery: addressNamed(recovery) })
export const transferred = (fid: number, from: string, to: string) =>
  written('Transfer', { from: addressNamed(from), to: addressNamed(to), id: BigInt(fid) })
export const recoveryChanged = (fid: number, recovery: string) =>
  written('ChangeRecoveryAddress', { id: BigInt(fid), recovery: addressNamed(recovery) })
export const keyAdded = (fid: number, key: string, keyType = 1) => {
  const bytes = keyNamed(key)
  const indexed = { fid: BigInt(fid), keyType, key: bytes }
  return written('Add', { ...indexed, keyBytes: bytes, metadataType: 1, metadata: '0xda7a' })
}
export const keyRemoved = (fid: number, key: string) =>
  written('Remove', { fid: BigInt(fid), key: keyNamed(key), keyBytes: keyNamed(key) })
export const keyReset = (fid: number, key: string) =>
  written('AdminReset', { fid: BigInt(fid), key: keyNamed(key), keyBytes: keyNamed(key) })
export const rented = (fid: number, units: number) =>
  written('Rent', { payer: addressNamed('payer'), fid: BigInt(fid), units: BigInt(units) })

type Block = {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: number
  readonly logs: readonly object[]
}

const GENESIS_TIME = 1_767_000_000
const SECONDS_PER_BLOCK = 2

/** Blocks from `firstBlock` on, which stands for all before it. */
export class LogChain {
  readonly chainId: number
  readonly #first: number
  readonly #blocks: Block[] = []
  #forks = 0
  /** Whether logs say the time of their block. */
  timesInLogs = true

  constructor({ chainId = 10, firstBlock = 0 } = {}) {
    this.chainId = chainId
    this.#first = firstBlock
    this.mine()
  }

  get head(): Block {
    return this.#blocks.at(-1)!
  }

  /** One block, with these logs in it. */
  mine(logs: readonly Written[] = []): Block {
    const number = this.#first + this.#blocks.length
    const parentHash = this.#blocks.at(-1)?.hash ?? keccak256('0x')
    const hash = keccak256(`${parentHash}${toHex(`${this.#forks} ${number}`).slice(2)}`)
    const timestamp = GENESIS_TIME + number * SECONDS_PER_BLOCK
    const entries = logs.map((log, i) => ({
      ...log,
      address: log.address,
      blockNumber: toHex(number),
      blockHash: hash,
      ...(this.timesInLogs && { blockTimestamp: toHex(timestamp) }),
      transactionHash: keccak256(`${hash}${toHex(i, { size: 1 }).slice(2)}`),
      transactionIndex: '0x0',
      logIndex: toHex(i),
      removed: false,
    }))
    const block = { number, hash, parentHash, timestamp, logs: entries }
    this.#blocks.push(block)
    return block
  }

  mineEmpty(count: number): void {
    for (let i = 0; i < count; i++) this.mine()
  }

  /** Drops so many blocks; those mined from now on are others. */
  dropBlocks(count: number): void {
    this.#blocks.length -= count
    this.#forks++
  }

  block(number: number): Block | undefined {
    return this.#blocks[number - this.#first]
  }

  /** What a node says of this chain. */
  answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_chainId') return toHex(this.chainId)
    if (method === 'eth_getBlockByNumber') {
      const block = params[0] === 'latest' ? this.head : this.block(Number(params[0]))
      return block ? headerOf(block) : null
    }
    if (method === 'eth_getBlockByHash') {
      const block = this.#blocks.find(({ hash }) => hash === params[0])
      return block ? headerOf(block) : null
    }
    if (method === 'eth_getLogs') return this.logs(params[0] as LogQuestion)
    throw new Error(`no ${method} here`)
  }

  logs({ fromBlock, toBlock, address, topics }: LogQuestion): object[] {
    const from = Math.max(0, Number(fromBlock) - this.#first)
    const to = Number(toBlock) - this.#first + 1
    const logs = this.#blocks.slice(from, to).flatMap((block) => block.logs) as Written[]
    return logs.filter(
      (log) =>
        address.includes(log.address.toLowerCase() as Hex) && topics[0].includes(log.topics[0]!),
    )
  }
}

export type LogQuestion = {
  readonly fromBlock: Hex
  readonly toBlock: Hex
  readonly address: readonly Hex[]
  readonly topics: readonly [readonly Hex[]]
}

const headerOf = ({ number, hash, parentHash, timestamp }: Block) => ({
  number: toHex(number),
  hash,
  parentHash,
  timestamp: toHex(timestamp),
})

export type Question = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a node does in place of answering right; undefined to answer right. */
export type Misbehaviour = (
  question: Question,
  response: ServerResponse,
  right: () => unknown,
) => Misanswer | undefined

/** `result` and `error` are what the answer carries; `sent`: the response was written. */
export type Misanswer = { readonly result: unknown } | { readonly error: object } | 'sent'

/** A node on a free port of this machine. */
export async function serveChain(chain: Pick<LogChain, 'answer'>) {
  const node = {
    url: '',
    /** Questions so far, by method. */
    asked: {} as Record<string, number>,
    misbehave: (() => undefined) as Misbehaviour,
    /** How it refuses batches, if it does. */
    batches: undefined as { status: number; code: number; message: string } | undefined,
    close: async () => {},
  }
  const answerTo = (question: Question, response: ServerResponse): object | undefined => {
    const { id, method, params } = question
    node.asked[method] = (node.asked[method] ?? 0) + 1
    const wrong = node.misbehave(question, response, () => chain.answer(method, params))
    if (wrong === 'sent') return undefined
    return { jsonrpc: '2.0', id, ...(wrong ?? { result: chain.answer(method, params) }) }
  }
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as Question | Question[]
    response.setHeader('content-type', 'application/json')
    if (!Array.isArray(body)) {
      const answer = answerTo(body, response)
      if (answer) response.end(JSON.stringify(answer))
      return
    }
    if (node.batches) {
      const { status, ...error } = node.batches
      response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }))
      return
    }
    const answers: object[] = []
    for (const question of body) {
      const answer = answerTo(question, response)
      if (!answer) return
      answers.push(answer)
    }
    response.end(JSON.stringify(answers.reverse()))
  })
  // A test that is late would find its connection closed, and the node at fault.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  node.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return node
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
