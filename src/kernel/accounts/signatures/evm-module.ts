import type { Module, ModuleContext } from '../../module.ts'
import { createRpcBudget } from '../chain/rpc-budget.ts'
import type { ChainConfig } from '../chain/settings.ts'
import type { AccountsConfig } from '../settings.ts'
import { createEvmClients, type EthereumUrls, type EvmClients } from './evm.ts'

type EvmModule = Module & { readonly evm: EvmClients }

/** The clients of EVM chains that requests share, with one RPC budget. */
export function createEvmModule(
  { metrics, storage }: ModuleContext,
  config: AccountsConfig & ChainConfig,
): EvmModule {
  const ended = new AbortController()
  const evm = createEvmClients({
    urls: ethereumUrls(config),
    budget: createRpcBudget(config.rpcBudget, metrics, storage),
    signal: ended.signal,
  })
  return { name: 'evm', evm, abort: () => ended.abort() }
}

/** The RPC URLs by chain; the followed chain verifies its own contract wallets. */
function ethereumUrls({
  chainId,
  chainRpcUrls,
  ethRpcUrls,
}: AccountsConfig & ChainConfig): EthereumUrls {
  const given = Object.entries(ethRpcUrls).map(([id, url]) => [id, [url]] as const)
  return {
    ...(chainRpcUrls.length > 0 && { [chainId]: chainRpcUrls }),
    ...Object.fromEntries(given),
  }
}
