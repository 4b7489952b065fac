import { contractsOf } from './contracts.ts'
import { type ChainConfig, START_BLOCKS, TIER_CHAIN_ID } from './settings.ts'
import { type ChainSource, followed } from './source.ts'

/** The sources in the settings: accounts and tiers; none when accounts are kept in the ledger. */
export function chainSources(config: ChainConfig): ChainSource[] {
  const { chainRpcUrls, tierRpcUrls, chainId } = config
  const contracts = contractsOf(config)
  const common = { confirmations: config.chainConfirmations, pollMs: config.chainPollMs }
  const accounts: ChainSource = {
    ...common,
    name: 'accounts',
    urls: chainRpcUrls,
    chainId,
    startBlock: config.chainStartBlock ?? START_BLOCKS[chainId] ?? 1,
    contracts: followed('accounts', contracts),
  }
  const tiers: ChainSource = {
    ...common,
    name: 'tiers',
    urls: tierRpcUrls,
    chainId: TIER_CHAIN_ID,
    startBlock: START_BLOCKS[TIER_CHAIN_ID]!,
    contracts: followed('tiers', contracts),
  }
  return [accounts, tiers].filter(({ urls }) => urls.length > 0)
}
