import type { Registry } from 'prom-client'
import { contractsOf } from '../../kernel/accounts/chain/contracts.ts'
import { rpcTo } from '../../kernel/accounts/chain/evm-client.ts'
import type { ChainConfig } from '../../kernel/accounts/chain/settings.ts'
import type { KeyCalls } from '../../kernel/accounts/port.ts'
import type { EvmClients } from '../../kernel/accounts/signatures/evm.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { createRelayMetrics } from './metrics.ts'
import type { FailedCall, RelayOptions } from './options.ts'
import { Relayer } from './relay.ts'
import { type RelayConfig, relayLimits } from './settings.ts'
import { relayRows } from './tables/relays.ts'
import { createUserSent } from './user-sent.ts'

type RelayModuleOptions = {
  /** The client for requests. Jobs have their own client without a budget. */
  readonly evm: EvmClients
  readonly onFailed: (tx: Writer, failed: FailedCall) => void | Promise<void>
}

type RelayModule = Module & { readonly keyCalls: KeyCalls }

const WEI_PER_ETHER = 1e18

/** Key calls where accounts are on a chain: sent by the relayer's account, if there is one. */
export async function createRelayModule(
  { storage, clock, metrics, onError }: ModuleContext,
  config: ChainConfig & RelayConfig,
  { evm, onFailed }: RelayModuleOptions,
): Promise<RelayModule> {
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
    onFailed,
    onError: (error, what) => {
      if (!ended.signal.aborted) onError(error, what)
    },
  }
  return {
    name: 'relay',
    ...(config.relayerKey
      ? await relayed(options, config.relayerKey, metrics)
      : { keyCalls: createUserSent(options), details: { relayer: () => ({ account: null }) } }),
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
