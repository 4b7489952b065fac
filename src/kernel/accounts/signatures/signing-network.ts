import { randomBytes } from 'node:crypto'
import { getAddress } from 'viem/utils'
import type { Mode } from '../../base/setting.ts'
import { toHex } from '../../protocol/codec/bytes.ts'
import {
  type AccountContracts,
  DEPLOYED_CHAIN_ID,
  DEPLOYED_CONTRACTS,
} from '../../protocol/crypto/account-domains.ts'
import { ADDRESS_BYTES } from '../../protocol/sizes.ts'
import type { Storage } from '../../storage/storage.ts'

// The network that account signatures are made for: a chain id and contract addresses, part of the EIP-712
// domain of every call. Two networks that share them would accept each other's calls.

export type SigningNetwork = {
  /** `ledger`: the addresses name this network and are those of no contract on the chain with this id. */
  readonly source: 'ledger' | 'chain'
  readonly chainId: number
  readonly contracts: AccountContracts
}

/** The settings; the rest is generated, or as deployed in development. */
type GivenNetwork = {
  readonly chainId: number | undefined
  readonly contracts: Partial<AccountContracts>
}

/** Kept when a network is reset. */
const SIGNING_NETWORK_CURSOR = 'signing-network'
const CONTRACT_NAMES = Object.keys(DEPLOYED_CONTRACTS) as (keyof AccountContracts)[]

/** The ledger would accept signatures that were made for the deployed network. */
class DeployedNetworkError extends Error {}

const DEPLOYED: Stored = { chainId: DEPLOYED_CHAIN_ID, contracts: DEPLOYED_CONTRACTS }
type Stored = Omit<SigningNetwork, 'source'>

/**
 * The chain id and contract addresses of the ledger. In production they are chosen at the first start and
 * stored, unless the settings give them. In development they are the deployed ones, so that published
 * clients sign for it. `before` is set when the settings changed what was stored.
 */
export async function claimSigningNetwork(
  storage: Storage,
  { mode, given }: { readonly mode: Mode; readonly given: GivenNetwork },
): Promise<{ readonly network: SigningNetwork; readonly before: SigningNetwork | undefined }> {
  if (mode === 'development') {
    return { network: ofLedger(merged(DEPLOYED, given)), before: undefined }
  }
  const { wanted, stored } = await storage.write('hub', async (tx) => {
    const text = await tx.cursors.get(SIGNING_NETWORK_CURSOR)
    const stored = text === undefined ? undefined : (JSON.parse(text) as Stored)
    const wanted = merged(stored ?? generated(), given)
    checkOwn(wanted)
    const wantedText = JSON.stringify(wanted)
    if (wantedText !== text) await tx.cursors.put(SIGNING_NETWORK_CURSOR, wantedText)
    return { wanted, stored: wantedText === text ? undefined : stored }
  })
  return { network: ofLedger(wanted), before: stored && ofLedger(stored) }
}

const ofLedger = (stored: Stored): SigningNetwork => ({ source: 'ledger', ...stored })

const merged = ({ chainId, contracts }: Stored, given: GivenNetwork): Stored => ({
  chainId: given.chainId ?? chainId,
  contracts: withAddresses(contracts, given.contracts),
})

/** The contracts with other addresses where they are given, all with their checksums. */
export function withAddresses(
  contracts: AccountContracts,
  given: Partial<AccountContracts>,
): AccountContracts {
  const entries = CONTRACT_NAMES.map((name) => [name, getAddress(given[name] ?? contracts[name])])
  return Object.fromEntries(entries) as AccountContracts
}

/**
 * The chain on which every wallet is: ordinary ones refuse to sign for chains that they do not know. The addresses, which are
 * those of no contract there, are what tells this network from others.
 */
const WALLET_CHAIN_ID = 1

function generated(): Stored {
  const address = () => toHex(randomBytes(ADDRESS_BYTES)) as `0x${string}`
  return {
    chainId: WALLET_CHAIN_ID,
    contracts: Object.fromEntries(
      CONTRACT_NAMES.map((name) => [name, address()]),
    ) as AccountContracts,
  }
}

/**
 * One shared domain is enough to replay signatures made under it. The deployed network has its contracts on one chain, and signs
 * for gasless keys on the other.
 */
function checkOwn({ chainId, contracts }: Stored): void {
  const shared = CONTRACT_NAMES.find((name) => contracts[name] === DEPLOYED_CONTRACTS[name])
  if (shared === undefined || ![DEPLOYED_CHAIN_ID, WALLET_CHAIN_ID].includes(chainId)) return
  throw new DeployedNetworkError(
    `chain id ${chainId} with the deployed address of ${shared} is the deployed network: signatures made there would hold here ` +
      'and the other way round. Set another address in ROOKERY_LEDGER_CONTRACTS.',
  )
}
