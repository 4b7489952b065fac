import type { Registry } from 'prom-client'
import { contractsOf } from '../../kernel/accounts/chain/contracts.ts'
import { rpcTo } from '../../kernel/accounts/chain/evm-client.ts'
import type { ChainConfig } from '../../kernel/accounts/chain/settings.ts'
import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { CHAIN_KEY_CALLS, type Server } from '../../kernel/server.ts'
import { KEY_REQUESTS_OF_APPS } from '../key-requests/port.ts'
import { createRelayMetrics } from './metrics.ts'
import type { RelayOptions } from './options.ts'
import { Relayer } from './relay.ts'
import { type RelayConfig, relayLimits } from './settings.ts'
import { relayRows } from './tables/relays.ts'
import { createUserSent } from './user-sent.ts'

const WEI_PER_ETHER = 1e18

/** Key calls where accounts are on a chain: sent by the relayer's account, if there is one. */
export async function serve(
  server: Server<ChainConfig & RelayConfig>,
): Promise<Module | undefined> {
  const { config, storage, clock, metrics, onError, evm, ledger, find, offer } = server
  if (ledger || config.chainRpcUrls.length === 0) return undefined
  const ended = new AbortController()
  const options: RelayerOptions = {
    rpc: rpcTo(config.chainRpcUrls, config.chainId, { signal: ended.signal }),
    routeRpc: evm.rpc(config.chainId),
    chainId: config.chainId,
    contracts: contractsOf(config),
    confirmations: config.chainConfirmations,
    limits: relayLimits(config),
    storage,
    clock,
    onFailed: (tx, call) => find(KEY_REQUESTS_OF_APPS)?.failApproved(tx, call, unixSeconds(clock)),
    onError: (error, what) => {
      if (!ended.signal.aborted) onError(error, what)
    },
  }
  const { keyCalls, ...brought } = config.relayerKey
    ? await relayed(options, config.relayerKey, metrics)
    : { keyCalls: createUserSent(options), details: { relayer: () => ({ account: null }) } }
  offer(CHAIN_KEY_CALLS, keyCalls)
  return {
    name: 'relay',
    ...brought,
    onReorg: (tx, events) =>
      tx.of(relayRows).reopen(events.map(({ transactionHash }) => transactionHash)),
    abort: () => ended.abort(),
  }
}

type RelayerOptions = Omit<RelayOptions, 'payer' | 'metrics'>

/** `key` is that of the paying account. */
async function relayed(options: RelayerOptions, key: Uint8Array, registry: Registry) {
  // Only the relayer loads the code that makes transactions.
  const { privateKeyToAccount } = await import('viem/accounts')
  const payer = privateKeyToAccount(toHex(key) as `0x${string}`)
  const ether = () => relay.balance && Number(relay.balance.wei) / WEI_PER_ETHER
  const underWay = options.storage.of(relayRows).unfinishedCount
  const metrics = createRelayMetrics(registry, { underWay, balance: ether })
  const relay: Relayer = new Relayer({ ...options, payer, metrics })
  const relayer = () => ({
    account: payer.address,
    balanceEther: ether() ?? null,
    isBalanceLow: relay.balance?.isLow ?? null,
  })
  return { keyCalls: relay, jobs: [relay.job], details: { relayer } }
}
