import type { Address, Hex, PublicClient } from 'viem'
import { toHex } from '../protocol/bytes.ts'
import { Rejection } from '../protocol/rejection.ts'
import { isZeroAddress } from '../protocol/secp256k1.ts'

// Asking EVM chains: what only they know, like what a contract wallet says of a signature.

/** JSON-RPC addresses by chain id; a chain without one is not asked, and what needs it is refused. */
export type EthereumUrls = Readonly<Record<number, string | undefined>>

const TIMEOUT_MS = 5_000
const RETRY_SECONDS = 5

/** Makes the clients of chains as they are needed; refuses when a chain has no address. */
export function ethereumClients(
  urls: EthereumUrls,
): (chainId: number, purpose: string) => Promise<PublicClient> {
  const clients = new Map<number, PublicClient>()
  return async (chainId, purpose) => {
    const url = urls[chainId]
    if (!url) {
      const text = `${purpose} needs an Ethereum RPC URL for chain ${chainId}, and this server has none (setting ROOKERY_ETH_RPC_URLS)`
      throw new Rejection('not_supported', text)
    }
    const client = clients.get(chainId) ?? (await createClient(chainId, url))
    clients.set(chainId, client)
    return client
  }
}

/** Loaded when first needed: the descriptions of all chains take longer than the server's own start. */
async function createClient(chainId: number, url: string): Promise<PublicClient> {
  const [{ createPublicClient, http }, chains] = await Promise.all([
    import('viem'),
    import('viem/chains'),
  ])
  const known = [chains.mainnet, chains.optimism, chains.base]
  const chain = known.find(({ id }) => id === chainId)
  const transport = http(url, { timeout: TIMEOUT_MS, retryCount: 1 })
  return createPublicClient({ chain, transport }) as PublicClient
}

/** Whether a contract wallet (ERC-1271), deployed or not yet (ERC-6492), stands by a signature. */
export async function askWallet(
  client: PublicClient,
  address: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  // The zero address is what `ecrecover` makes of nonsense: the chain would say that it signed.
  if (isZeroAddress(address)) return false
  return reach('could not verify contract signature', async () => {
    const valid = await client.verifyHash({
      address: toHex(address) as Address,
      hash: toHex(digest) as Hex,
      signature: toHex(signature) as Hex,
    })
    // "No" is also what the library makes of silence: it counts only from a chain that answers.
    if (!valid) await client.getChainId()
    return valid
  })
}

/** Throws a Rejection that says so when the chain is silent. */
export async function reach<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch {
    throw new Rejection('unavailable.network_failure', `${what}: the RPC did not answer`, {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
}
