import { readFileSync } from 'node:fs'
import {
  type ChainContracts,
  DEPLOYED_CHAIN_CONTRACTS,
} from '../kernel/accounts/chain/contracts.ts'
import type { Rpc } from '../kernel/accounts/chain/rpc.ts'

/** Constructor parameters of the contracts, which cannot be changed later. */
type ContractTerms = {
  /** In wei; nothing unless given. */
  readonly unitPrice?: number
  readonly maxUnits?: number
  readonly maxKeysPerFid?: number
}

const COMPILED = new URL('../../contracts/compiled/', import.meta.url)

/**
 * Places our account contracts at the deployed addresses, so that programs made for the deployed contracts work
 * with these: the same addresses, and on chain 10 the same signatures. Their storage stays.
 */
export async function placeContracts(
  rpc: Rpc,
  { unitPrice = 0, maxUnits = 200_000, maxKeysPerFid = 1_000 }: ContractTerms = {},
  at: ChainContracts = DEPLOYED_CHAIN_CONTRACTS,
): Promise<void> {
  const place = async (name: string, address: string, ...args: readonly (string | number)[]) => {
    const { bytecode } = JSON.parse(readFileSync(new URL(`${name}.json`, COMPILED), 'utf8'))
    const data = bytecode + args.map(word).join('')
    // Called without an address, the constructor returns the code, which now contains the other addresses.
    const code = await rpc('eth_call', [{ data }, 'latest'])
    await rpc('anvil_setCode', [address, code])
  }
  const validator = at.signedKeyRequestValidator
  await place('IdRegistry', at.idRegistry, at.idGateway)
  await place('StorageRegistry', at.storageRegistry, unitPrice, maxUnits)
  await place('IdGateway', at.idGateway, at.idRegistry, at.storageRegistry)
  await place('SignedKeyRequestValidator', validator, at.idRegistry)
  const keys = [at.idRegistry, at.keyGateway, validator, maxKeysPerFid]
  await place('KeyRegistry', at.keyRegistry, ...keys)
  await place('KeyGateway', at.keyGateway, at.keyRegistry)
  await place('Bundler', at.bundler, at.idGateway, at.keyGateway)
}

/** An address or a number as the ABI has it: 32 bytes, in hex. */
const word = (value: string | number): string =>
  (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')
