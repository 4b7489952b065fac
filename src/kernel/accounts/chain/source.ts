import { DEPLOYED_CHAIN_ID, DEPLOYED_CONTRACTS } from '../../protocol/crypto/account-domains.ts'
import { OnChainEventType } from '../../protocol/wire/onchain_event_pb.js'
import type { Storage } from '../../storage/storage.ts'
import type { ChainSource as StoredSource } from '../../storage/tables/chain.ts'
import type { ChainContracts } from './contracts.ts'
import type { FollowedContract } from './logs.ts'

/** `accounts`: fids, keys and storage; `tiers`: purchases in the tier registry, on its own chain. */
export type SourceName = 'accounts' | 'tiers'

export const SOURCE_CONTRACTS: Readonly<Record<SourceName, readonly FollowedContract[]>> = {
  accounts: ['idRegistry', 'keyRegistry', 'storageRegistry'],
  tiers: ['tierRegistry'],
}

/** Event types that come from this source only. */
const EVENT_TYPES: Readonly<Record<SourceName, readonly OnChainEventType[]>> = {
  accounts: [
    OnChainEventType.EVENT_TYPE_SIGNER,
    OnChainEventType.EVENT_TYPE_SIGNER_MIGRATED,
    OnChainEventType.EVENT_TYPE_ID_REGISTER,
    OnChainEventType.EVENT_TYPE_STORAGE_RENT,
  ],
  tiers: [OnChainEventType.EVENT_TYPE_TIER_PURCHASE],
}

/** What a follower reads: which contracts, through which nodes, from which block on. */
export type ChainSource = {
  readonly name: SourceName
  /** JSON-RPC URLs in order of preference. They may contain API keys: never show them. */
  readonly urls: readonly string[]
  readonly chainId: number
  readonly startBlock: number
  /** Confirmations that an event needs before it counts. */
  readonly confirmations: number
  readonly contracts: { readonly [Name in FollowedContract]?: `0x${string}` }
  /** Poll interval. */
  readonly pollMs: number
}

/** The stored data came from other contracts than the settings name; the message names both. */
export class WrongSourceError extends Error {}

/** The contracts that a source reads. */
export function followed(name: SourceName, contracts: ChainContracts): ChainSource['contracts'] {
  return Object.fromEntries(
    SOURCE_CONTRACTS[name].map((contract) => [contract, contracts[contract]]),
  )
}

export const eventTypesOf = (name: SourceName): readonly OnChainEventType[] => EVENT_TYPES[name]

export const storedSource = (source: ChainSource): StoredSource => ({
  name: source.name,
  chain_id: source.chainId,
  start_block: source.startBlock,
  contracts: SOURCE_CONTRACTS[source.name]
    .map((contract) => `${contract}=${source.contracts[contract]!.toLowerCase()}`)
    .join(','),
})

/**
 * Checks that the stored data belong to this source, or for the ledger to no source. Mixing accounts of two
 * chains would be wrong data, so it throws a WrongSourceError.
 */
export async function claimSources(
  storage: Storage,
  sources: readonly ChainSource[],
): Promise<void> {
  if (sources.length === 0) {
    const held = (await storage.chain.sources()).find(({ name }) => name === 'accounts')
    if (held) throw refused(described(held), 'no chain (ROOKERY_CHAIN_RPC_URLS)')
    return
  }
  await storage.write('hub', async (tx) => {
    const held = await tx.chain.sources()
    const wanted = sources.map(storedSource)
    const accounts = held.find(({ name }) => name === 'accounts')
    const ofLedger = (await tx.accounts.count()) + (await tx.ledger.pendingCount())
    if (!accounts && ofLedger > 0) {
      throw refused("the ledger's accounts", described(wanted[0]!))
    }
    for (const source of wanted) {
      const before = held.find(({ name }) => name === source.name)
      if (before && described(before) !== described(source)) {
        throw refused(described(before), described(source))
      }
      if (!before) await tx.chain.putSource(source)
    }
  })
}

const described = ({ name, chain_id, start_block, contracts }: StoredSource) =>
  `${name} on chain ${chain_id} from block ${start_block} (${contracts})`

const refused = (held: string, wanted: string) =>
  new WrongSourceError(
    `These data hold ${held}, but the settings say ${wanted}. ` +
      'Point ROOKERY_DATA_DIR or DATABASE_URL at other data, or set the ROOKERY_CHAIN_ settings back.',
  )

/** On the deployed chain, hubs have always made a key active again after a reset. */
export function resetsActivate({ chain_id, contracts }: StoredSource): boolean {
  const deployed = DEPLOYED_CONTRACTS.keyRegistry.toLowerCase()
  return chain_id === DEPLOYED_CHAIN_ID && contracts.includes(`keyRegistry=${deployed}`)
}
