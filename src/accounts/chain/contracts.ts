import { type AccountContracts, DEPLOYED_CONTRACTS } from '../../protocol/eip712.ts'
import { STORAGE_REGISTRY } from '../settings.ts'

/** Where a chain's account contracts are: those that things are signed for, and those that nobody signs for. */
export type ChainContracts = AccountContracts & {
  readonly storageRegistry: `0x${string}`
  readonly bundler: `0x${string}`
}

/** On OP mainnet. */
export const DEPLOYED_CHAIN_CONTRACTS: ChainContracts = {
  ...DEPLOYED_CONTRACTS,
  storageRegistry: STORAGE_REGISTRY,
  bundler: '0x00000000FC04c910A0b5feA33b03E0447AD0B0aA',
}
