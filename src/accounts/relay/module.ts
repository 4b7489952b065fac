import type { Module, ModuleContext } from '../../module.ts'
import type { Writer } from '../../storage/storage.ts'
import { contractsOf } from '../chain/contracts.ts'
import { rpcTo } from '../chain/evm-client.ts'
import type { ChainConfig } from '../chain/settings.ts'
import type { KeyCalls } from '../port.ts'
import type { EvmClients } from '../signatures/evm.ts'
import { createChainKeyCalls } from './key-calls.ts'
import type { FailedCall } from './options.ts'
import { type RelayConfig, relayLimits } from './settings.ts'

type RelayModuleOptions = {
  /** The client for requests. Jobs have their own client without a budget. */
  readonly evm: EvmClients
  readonly onFailed: (tx: Writer, failed: FailedCall) => void | Promise<void>
}

type RelayModule = Module & { readonly keyCalls: KeyCalls }

/** Key calls where accounts are on a chain: sent by the relayer's account, if there is one. */
export async function createRelayModule(
  { storage, clock, metrics, onError }: ModuleContext,
  config: ChainConfig & RelayConfig,
  { evm, onFailed }: RelayModuleOptions,
): Promise<RelayModule> {
  const ended = new AbortController()
  const { keyCalls, jobs, status } = await createChainKeyCalls({
    rpc: rpcTo(config.chainRpcUrls, config.chainId, { signal: ended.signal }),
    routeRpc: evm.rpc(config.chainId),
    chainId: config.chainId,
    contracts: contractsOf(config),
    confirmations: config.chainConfirmations,
    relayerKey: config.relayerKey,
    limits: relayLimits(config),
    storage,
    clock,
    metrics,
    onFailed,
    onError: (error, what) => {
      if (!ended.signal.aborted) onError(error, what)
    },
  })
  return {
    name: 'relay',
    keyCalls,
    jobs,
    details: { relayer: status },
    onReorg: (tx, events) => tx.relays.reopen(events.map(({ transactionHash }) => transactionHash)),
    abort: () => ended.abort(),
  }
}
