import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { type Rpc, rpcTo } from '../accounts/chain/rpc.ts'

// A chain of our own: the anvil node, whose package brings its binary for some platforms.

export type Anvil = {
  readonly url: string
  readonly rpc: Rpc
  /** Writes the state, if it is kept, and ends. */
  close(): Promise<void>
}

const PACKAGE = '@foundry-rs/anvil-linux-amd64'

/** Where the binary is; undefined where there is none for this platform. */
export function findAnvil(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`${PACKAGE}/bin/anvil`)
  } catch {
    return undefined
  }
}

export async function startAnvil({
  chainId,
  port = 0,
  args = [],
}: {
  chainId: number
  port?: number
  args?: readonly string[]
}): Promise<Anvil> {
  const binary = findAnvil()
  if (!binary) {
    throw new Error(
      `a chain of one's own needs anvil, and there is none for ${process.platform} on ${process.arch} (package ${PACKAGE})`,
    )
  }
  const child = spawn(
    binary,
    ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const ended = once(child, 'exit')
  const url = await urlOf(child)
  return {
    url,
    rpc: rpcTo([url], chainId),
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Reads on to the end: a full pipe would stop the node. */
async function urlOf(child: ChildProcess): Promise<string> {
  let complaint = ''
  child.stderr!.on('data', (text) => {
    complaint = `${complaint}${text}`.slice(-500)
  })
  for await (const line of createInterface(child.stdout!)) {
    const [, address] = /^Listening on (\S+)/.exec(line) ?? []
    if (address) {
      child.stdout!.resume()
      return `http://${address}`
    }
  }
  throw new Error(`anvil did not start: ${complaint.trim()}`)
}
