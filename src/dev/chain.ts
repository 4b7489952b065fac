import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { privateKeyToAccount } from 'viem/accounts'
import type { Services } from '../app.ts'
import type { Config } from '../config.ts'
import { toQuantity } from '../kernel/accounts/chain/answers.ts'
import { REMEMBERED_BLOCKS } from '../kernel/accounts/chain/apply.ts'
import { createChainCalls } from '../kernel/accounts/chain/calls.ts'
import { DEPLOYED_CHAIN_CONTRACTS } from '../kernel/accounts/chain/contracts.ts'
import type { Rpc } from '../kernel/accounts/chain/rpc.ts'
import { claimSources } from '../kernel/accounts/chain/source.ts'
import { chainSources } from '../kernel/accounts/chain/sources.ts'
import { toHex, toUtf8 } from '../kernel/protocol/codec/bytes.ts'
import { DEPLOYED_CHAIN_ID } from '../kernel/protocol/crypto/account-domains.ts'
import { startAnvil } from './anvil.ts'
import { placeContracts } from './deploy.ts'
import type { AccountOrigin } from './origin.ts'

// A development network whose accounts are on a chain: its own node with our contracts at the deployed
// addresses, so that wallets and apps made for those work with it.

type DevChain = {
  readonly url: string
  /** The settings of the server, with the chain to follow. */
  readonly config: Config
  readonly origin: AccountOrigin
  /** Writes the state of the chain to its file. */
  close(): Promise<void>
}

/**
 * Accounts for the network's own transactions and for the relayer. Two, so that their nonces never conflict.
 */
const FOUNDER_KEY = keccak_256(toUtf8('rookery founder'))
const RELAYER_KEY = keccak_256(toUtf8('rookery relayer'))
const FUNDS_WEI = 10n ** 24n

/** The newest block counts at once, without confirmations. */
const FOLLOWING = { chainStartBlock: 1, chainConfirmations: 0, chainPollMs: 100 }
const SETTLE_POLL_MS = 10
const SETTLE_TIMEOUT_MS = 30_000

export async function startDevChain(config: Config, nowMs: number): Promise<DevChain> {
  const chainId = DEPLOYED_CHAIN_ID
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const { url, rpc, close } = await startAnvil({
    chainId,
    port: config.chainPort,
    stateFile: join(config.dataDir, 'chain.json'),
    args: ['--timestamp', String(Math.floor(nowMs / 1000))],
  })
  const calls = createChainCalls({
    rpc,
    chainId,
    contracts: DEPLOYED_CHAIN_CONTRACTS,
    payer: accountOf(FOUNDER_KEY),
    signupUnits: config.signupUnits,
  })
  const origin = new ChainOrigin(rpc, calls, config.dataDir)
  try {
    await addContracts(rpc)
  } catch (error) {
    await close()
    throw error
  }
  const followed = { ...config, ...FOLLOWING, chainId, chainRpcUrls: [url] }
  return { url, config: { ...followed, relayerKey: RELAYER_KEY }, origin, close }
}

/** Deploys the contracts and funds the accounts that call them. */
async function addContracts(rpc: Rpc): Promise<void> {
  await placeContracts(rpc)
  for (const { address } of [FOUNDER_KEY, RELAYER_KEY].map(accountOf)) {
    await rpc('anvil_setBalance', [address, toQuantity(FUNDS_WEI)])
  }
}

class ChainOrigin implements AccountOrigin {
  readonly calls: AccountOrigin['calls']
  readonly firstIndex = 0
  readonly isStored = false
  readonly #rpc: Rpc
  readonly #dataDir: string

  constructor(rpc: Rpc, calls: AccountOrigin['calls'], dataDir: string) {
    this.calls = calls
    this.#rpc = rpc
    this.#dataDir = dataDir
  }

  async begin(services: Services, timeMs: number): Promise<void> {
    await claimSources(services.storage, chainSources(services.config))
    await this.#setTime(timeMs)
    await this.#resume(services)
  }

  /** Waits until the newest block has been followed. */
  async settle({ storage }: Services): Promise<void> {
    const newest = await this.#newestBlock()
    for (let waited = 0; waited < SETTLE_TIMEOUT_MS; waited += SETTLE_POLL_MS) {
      const followed = await storage.chain.newest('accounts')
      if (followed && followed.number >= newest) return
      await delay(SETTLE_POLL_MS)
    }
    throw new Error(`block ${newest} of the chain was not followed in ${SETTLE_TIMEOUT_MS} ms`)
  }

  async moveTo(services: Services, timeMs: number): Promise<void> {
    await this.#setTime(timeMs)
    await this.#rpc('evm_mine')
    await this.settle(services)
  }

  /** Blocks come at this interval in place of with each transaction. */
  async lag(_: Services, ms = 0): Promise<void> {
    const seconds = Math.ceil(ms / 1000)
    await this.#rpc('evm_setAutomine', [seconds === 0])
    await this.#rpc('evm_setIntervalMining', [seconds])
    if (seconds === 0) await this.#rpc('evm_mine')
  }

  async reset(): Promise<void> {
    await this.#rpc('anvil_reset')
    await addContracts(this.#rpc)
  }

  #setTime(timeMs: number): Promise<unknown> {
    return this.#rpc('evm_setTime', [Math.floor(timeMs / 1000)])
  }

  async #newestBlock(): Promise<number> {
    return Number(await this.#rpc('eth_blockNumber'))
  }

  /** A killed node has lost its newest blocks, which looks like a reorg: their events are rolled back. */
  async #resume(services: Services): Promise<void> {
    const blocks = await services.storage.chain.blocks('accounts', REMEMBERED_BLOCKS)
    if (blocks.length === 0) return
    const hashes = await Promise.all(blocks.map(({ number }) => hashOf(this.#rpc, number)))
    if (!blocks.some(({ hash }, i) => toHex(hash) === hashes[i])) throw lost(this.#dataDir)
    const missing = blocks[0]!.number - (await this.#newestBlock())
    // A reorg is noticed only when the chain is as high as before.
    if (missing > 0) await this.#rpc('anvil_mine', [toQuantity(missing)])
    await this.settle(services)
  }
}

async function hashOf(rpc: Rpc, block: number): Promise<string | undefined> {
  const found = await rpc('eth_getBlockByNumber', [toQuantity(block), false])
  return (found as { hash: string } | null)?.hash
}

const lost = (dataDir: string) =>
  new Error(
    `the chain that the accounts in ${dataDir} are on is gone: its node was killed before it wrote it down. ` +
      'Remove the directory, or begin in another one (ROOKERY_DATA_DIR)',
  )

const accountOf = (key: Uint8Array) => privateKeyToAccount(toHex(key) as `0x${string}`)
