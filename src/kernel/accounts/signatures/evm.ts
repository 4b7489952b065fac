import type { Address, Hex, PublicClient } from 'viem'
import { toHex } from '../../protocol/codec/bytes.ts'
import { isZeroAddress } from '../../protocol/crypto/secp256k1.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { rpcTo } from '../chain/evm-client.ts'
import { ChainFault } from '../chain/fault.ts'
import type { Rpc } from '../chain/rpc.ts'
import type { RpcBudget } from '../chain/rpc-budget.ts'

// EVM chains for routes: contract wallets' signatures, names, key calls. Everything goes through one client with
// one failover policy (chain/evm-client.ts) and within the RPC budget.

/** RPC URLs by chain id, the preferred one first. */
export type EthereumUrls = Readonly<Record<number, readonly string[]>>

export type EvmClients = {
  /** Whether the chain has an RPC URL. */
  has(chainId: number): boolean
  /** JSON-RPC within the budget. */
  rpc(chainId: number): Rpc
  /** A viem client over the same RPC. Throws `not_supported` with the purpose when the chain has no URL. */
  get(chainId: number, purpose: string): Promise<PublicClient>
}

type EvmClientsOptions = {
  readonly urls: EthereumUrls
  readonly budget?: RpcBudget
  /** Aborts requests that are under way. */
  readonly signal?: AbortSignal
}

const RETRY_SECONDS = 5

export function createEvmClients({ urls, budget, signal }: EvmClientsOptions): EvmClients {
  const rpcs = new Map<number, Rpc>()
  const clients = new Map<number, Promise<PublicClient>>()
  const urlsOf = (chainId: number) => urls[chainId] ?? []

  const rpc = (chainId: number): Rpc => {
    const known = rpcs.get(chainId)
    if (known) return known
    const unlimited = rpcTo(urlsOf(chainId), chainId, {
      ...(signal && { signal }),
      onAsked: (_url, method) => budget?.asked(chainId, method),
    })
    const created = budget?.limit(unlimited) ?? unlimited
    rpcs.set(chainId, created)
    return created
  }

  return {
    has: (chainId) => urlsOf(chainId).length > 0,
    rpc,
    async get(chainId, purpose) {
      if (urlsOf(chainId).length === 0) {
        const text = `${purpose} needs an Ethereum RPC URL for chain ${chainId}, and this server has none (setting ROOKERY_ETH_RPC_URLS)`
        throw new Rejection('not_supported', text)
      }
      const client = clients.get(chainId) ?? createClient(chainId, rpc(chainId))
      clients.set(chainId, client)
      return client
    },
  }
}

/** viem's chain definitions are loaded when first needed: they take longer than the server's own start. */
async function createClient(chainId: number, rpc: Rpc): Promise<PublicClient> {
  const [{ createPublicClient, custom, RpcRequestError }, chains] = await Promise.all([
    import('viem'),
    import('viem/chains'),
  ])
  const known = [chains.mainnet, chains.optimism, chains.base]
  const chain = known.find(({ id }) => id === chainId)
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    try {
      return await rpc(method, params as readonly unknown[] | undefined)
    } catch (error) {
      if (!(error instanceof ChainFault) || error.code === undefined) throw error
      // viem reads reverts from errors of this class. It would quote the URL, so it gets none.
      const { code, message, data } = error
      throw new RpcRequestError({ body: {}, url: '', error: { code, message, data } })
    }
  }
  const transport = custom({ request }, { retryCount: 0 })
  return createPublicClient({ chain, transport }) as PublicClient
}

/** Whether a contract wallet (ERC-1271), deployed or not yet (ERC-6492), accepts a signature. */
export async function askWallet(
  client: PublicClient,
  address: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  // `ecrecover` on the chain answers with the zero address for nonsense, which would count as signed by it.
  if (isZeroAddress(address)) return false
  return reach('could not verify contract signature', async () => {
    const valid = await client.verifyHash({
      address: toHex(address) as Address,
      hash: toHex(digest) as Hex,
      signature: toHex(signature) as Hex,
    })
    // viem also returns false when the request failed: false counts only from a chain that answers.
    if (!valid) await client.getChainId()
    return valid
  })
}

/** Turns a failure of the chain into a Rejection that says so. */
export async function reach<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw (
      rejectionIn(error) ??
      new Rejection('unavailable.network_failure', `${what}: the RPC did not answer`, {
        retryAfterSeconds: RETRY_SECONDS,
      })
    )
  }
}

/** The RPC budget's refusal, which viem wraps in errors of its own. */
function rejectionIn(error: unknown): Rejection | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause as Error) {
    if (cause instanceof Rejection) return cause
  }
  return undefined
}
