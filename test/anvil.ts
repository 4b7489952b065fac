// A real EVM node with a client of viem's, for tests.

import { type Abi, createWalletClient, type Hex, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { TEST_PHRASE } from '../src/dev/accounts.ts'
import { findAnvil, startAnvil as startNode } from '../src/dev/anvil.ts'

/** Why tests that need the node cannot run here; false when they can. */
export const noAnvil = findAnvil() ? false : 'there is no anvil for this platform'

export async function startAnvil(chainId: number, args: readonly string[] = []) {
  const node = await startNode({ chainId, args })
  const client = createWalletClient({
    account: mnemonicToAccount(TEST_PHRASE),
    chain: { ...foundry, id: chainId },
    transport: http(node.url),
    pollingInterval: 50,
  }).extend(publicActions)
  return {
    ...node,
    client,
    /** Puts a compiled contract on the chain. */
    async deploy({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: unknown[]) {
      const hash = await client.deployContract({ abi, bytecode, args })
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      return contractAddress!
    },
  }
}
