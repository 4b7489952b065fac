import { port } from '../../kernel/ports.ts'
import type { Registry } from './registry.ts'

export type { RegistryConfig } from './settings.ts'
export { missingKey, storedSigner } from './signer.ts'
export { nameTransferRows, type StoredTransfer } from './tables/name-transfers.ts'

/** The registry of this server; not offered where names come from another server's. */
export const REGISTRY = port<Registry>('name registry')
