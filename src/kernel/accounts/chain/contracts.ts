import { type AccountContracts, DEPLOYED_CONTRACTS } from '../../protocol/crypto/account-domains.ts'
import { STORAGE_REGISTRY } from '../settings.ts'
import type { ChainConfig } from './settings.ts'

/** The addresses of a chain's account contracts, those with signed calls and those without. */
export type ChainContracts = AccountContracts & {
  readonly storageRegistry: `0x${string}`
  readonly bundler: `0x${string}`
  /** On its own chain. */
  readonly tierRegistry: `0x${string}`
}

/** On OP mainnet; the tier registry is on Base. */
export const DEPLOYED_CHAIN_CONTRACTS: ChainContracts = {
  ...DEPLOYED_CONTRACTS,
  storageRegistry: STORAGE_REGISTRY,
  bundler: '0x00000000FC04c910A0b5feA33b03E0447AD0B0aA',
  tierRegistry: '0x00000000fc84484d585C3cF48d213424DFDE43FD',
}

/** The deployed contracts, overridden by the addresses in the settings. */
export const contractsOf = ({ chainContracts }: Pick<ChainConfig, 'chainContracts'>) => ({
  ...DEPLOYED_CHAIN_CONTRACTS,
  ...chainContracts,
})
