import { type Address, createPublicClient, type Hex, http, type PublicClient } from 'viem'
import { base, mainnet, optimism } from 'viem/chains'
import { fromHex, toHex } from '../protocol/bytes.ts'
import { typedDataDigest, verificationClaimTypedData } from '../protocol/eip712.ts'
import { usernameKind } from '../protocol/names.ts'
import { Rejection } from '../protocol/rejection.ts'
import type { VerificationAddAddressBody } from '../protocol/wire/message_pb.js'

/** What only an Ethereum chain can say, asked when a message needs it. */
export type Ethereum = {
  /** The 20-byte address an ENS or base name resolves to; undefined when it resolves to none. */
  resolveName(name: string): Promise<Uint8Array | undefined>
  /** Whether a contract wallet (ERC-1271, ERC-6492) stands by a verification claim. */
  verifyContractClaim(
    fid: number,
    network: number,
    claim: VerificationAddAddressBody,
  ): Promise<boolean>
}

/** JSON-RPC addresses by chain id; a chain without one is not asked, and what needs it is refused. */
export type EthereumUrls = Readonly<Record<number, string | undefined>>

const CHAINS = { [mainnet.id]: mainnet, [optimism.id]: optimism, [base.id]: base }
/** Base names live on Base, everything else that ends in .eth on mainnet. */
const NAME_CHAIN = { ens: mainnet.id, basename: base.id } as const
const TIMEOUT_MS = 5_000

/** Asks the chains at these addresses; throws a Rejection that says so when one is missing or silent. */
export function createEthereum(urls: EthereumUrls): Ethereum {
  const clients = new Map<number, PublicClient>()
  const clientOf = (chainId: number, purpose: string): PublicClient => {
    const url = urls[chainId]
    if (!url) {
      const text = `${purpose} needs an Ethereum RPC URL for chain ${chainId}, and this server has none (setting ROOKERY_ETH_RPC_URLS)`
      throw new Rejection('not_supported', text)
    }
    let client = clients.get(chainId)
    if (!client) {
      const chain = CHAINS[chainId as keyof typeof CHAINS]
      client = createPublicClient({
        chain,
        transport: http(url, { timeout: TIMEOUT_MS, retryCount: 1 }),
      }) as PublicClient
      clients.set(chainId, client)
    }
    return client
  }
  return {
    async resolveName(name) {
      const kind = usernameKind(name)
      const chainId = kind === 'basename' ? NAME_CHAIN.basename : NAME_CHAIN.ens
      const client = clientOf(chainId, `resolving ${name}`)
      const address = await reach(`failed to resolve ens name ${name}`, () =>
        client.getEnsAddress({ name }),
      )
      return address ? fromHex(address) : undefined
    },
    async verifyContractClaim(fid, network, claim) {
      const client = clientOf(claim.chainId, 'the verification of a contract wallet')
      return reach('could not verify contract signature', () =>
        client.verifyHash({
          address: toHex(claim.address) as Address,
          hash: toHex(
            typedDataDigest(
              verificationClaimTypedData(
                { fid, network, address: claim.address, blockHash: claim.blockHash },
                claim.chainId,
              ),
            ),
          ) as Hex,
          signature: toHex(claim.claimSignature) as Hex,
        }),
      )
    },
  }
}

async function reach<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch {
    throw new Rejection('unavailable.network_failure', `${what}: the RPC did not answer`, {
      retryAfterSeconds: 5,
    })
  }
}
