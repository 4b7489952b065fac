// A real EVM node, from the package that brings its binary.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { TEST_PHRASE } from '../src/dev/accounts.ts'

const BINARY = fileURLToPath(
  new URL('../node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil', import.meta.url),
)

/** Why tests that need the node cannot run here; false when they can. */
export const noAnvil = existsSync(BINARY) ? false : 'there is no anvil for this platform'

export async function startAnvil(chainId: number) {
  const child = spawn(BINARY, ['--port', '0', '--chain-id', String(chainId)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  let url = ''
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /^Listening on (\S+)/.exec(line) ?? []
    if (address) {
      url = `http://${address}`
      break
    }
  }
  child.stdout.resume()
  const client = createWalletClient({
    account: mnemonicToAccount(TEST_PHRASE),
    chain: { ...foundry, id: chainId },
    transport: http(url),
    pollingInterval: 50,
  }).extend(publicActions)
  return {
    url,
    client,
    /** Puts a compiled contract on the chain. */
    async deploy({ abi, bytecode }: { abi: unknown[]; bytecode: string }, args: unknown[]) {
      const hash = await client.deployContract({ abi, bytecode: bytecode as Hex, args } as never)
      const { contractAddress } = await client.waitForTransactionReceipt({ hash })
      return contractAddress!
    },
    async close() {
      child.kill()
      await ended
    },
  }
}
