import type { Address, PublicClient } from 'viem'
import { parseAbi } from 'viem/utils'
import { askWallet, type EvmClients, reach } from '../../accounts/signatures/evm.ts'
import { fromHex } from '../../protocol/codec/bytes.ts'
import { typedDataDigest, verificationClaimTypedData } from '../../protocol/crypto/eip712.ts'
import { usernameKind } from '../../protocol/names.ts'
import type { VerificationAddAddressBody } from '../../protocol/wire/message_pb.js'

/** Facts that only an Ethereum chain knows, asked for when a message needs them. */
export type Ethereum = {
  /** The 20-byte address that an ENS or base name resolves to; undefined when it resolves to none. */
  resolveName(name: string): Promise<Uint8Array | undefined>
  /** Whether a contract wallet (ERC-1271, ERC-6492) accepts the signature of a verification claim. */
  verifyContractClaim(
    fid: number,
    network: number,
    claim: VerificationAddAddressBody,
  ): Promise<boolean>
}

const MAINNET = 1
const BASE = 8453
/** Base names live on Base, everything else that ends in .eth on mainnet. */
const NAME_CHAIN = { ens: MAINNET, basename: BASE } as const
const NO_ADDRESS = '0x0000000000000000000000000000000000000000'

/** Base has no universal resolver: the registry names a base name's resolver, which is asked. */
const BASENAME_REGISTRY = '0xB94704422c2a1E396835A571837Aa5AE53285a95'
const REGISTRY_ABI = parseAbi(['function resolver(bytes32 node) view returns (address)'])
const RESOLVER_ABI = parseAbi(['function addr(bytes32 node) view returns (address)'])

/** Throws a Rejection when a chain has no RPC URL, does not answer, or the RPC budget is used up. */
export function createEthereum(clients: EvmClients): Ethereum {
  return {
    async resolveName(name) {
      const kind = usernameKind(name)
      const chainId = kind === 'basename' ? NAME_CHAIN.basename : NAME_CHAIN.ens
      const client = await clients.get(chainId, `resolving ${name}`)
      const address = await reach(`failed to resolve ens name ${name}`, () =>
        kind === 'basename' ? basenameAddress(client, name) : client.getEnsAddress({ name }),
      )
      return address && address !== NO_ADDRESS ? fromHex(address) : undefined
    },
    async verifyContractClaim(fid, network, claim) {
      const client = await clients.get(claim.chainId, 'the verification of a contract wallet')
      const { address, blockHash, chainId, claimSignature } = claim
      const typedData = verificationClaimTypedData({ fid, network, address, blockHash }, chainId)
      return askWallet(client, address, typedDataDigest(typedData), claimSignature)
    },
  }
}

async function basenameAddress(client: PublicClient, name: string): Promise<Address> {
  // Loaded when first needed: its tables of characters take a fifth of the time of a start.
  const { namehash } = await import('viem/ens')
  const args = [namehash(name)] as const
  const registry = { address: BASENAME_REGISTRY, abi: REGISTRY_ABI } as const
  const address = await client.readContract({ ...registry, functionName: 'resolver', args })
  if (address === NO_ADDRESS) return NO_ADDRESS
  return client.readContract({ address, abi: RESOLVER_ABI, functionName: 'addr', args })
}
