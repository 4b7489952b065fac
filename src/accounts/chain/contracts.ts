import { type AccountContracts, DEPLOYED_CONTRACTS } from '../../protocol/eip712.ts'
import { STORAGE_REGISTRY } from '../settings.ts'
import type { ChainConfig } from './settings.ts'

/** Where a chain's account contracts are: those that things are signed for, and those that nobody signs for. */
export type ChainContracts = AccountContracts & {
  readonly storageRegistry: `0x${string}`
  readonly bundler: `0x${string}`
  /** On a chain of its own. */
  readonly tierRegistry: `0x${string}`
}

/** On OP mainnet, and the tier registry on Base. */
export const DEPLOYED_CHAIN_CONTRACTS: ChainContracts = {
  ...DEPLOYED_CONTRACTS,
  storageRegistry: STORAGE_REGISTRY,
  bundler: '0x00000000FC04c910A0b5feA33b03E0447AD0B0aA',
  tierRegistry: '0x00000000fc84484d585C3cF48d213424DFDE43FD',
}

/** The deployed contracts, with the addresses that the settings give instead. */
export const contractsOf = ({ chainContracts }: Pick<ChainConfig, 'chainContracts'>) => ({
  ...DEPLOYED_CHAIN_CONTRACTS,
  ...chainContracts,
})
