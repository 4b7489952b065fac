import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

// A chain of our own: the anvil node, whose package brings its binary for some platforms.

/** Asks the node: the answer's result. Throws an `RpcError` when it says no. */
export type Rpc = (method: string, params?: readonly unknown[]) => Promise<unknown>

export type Anvil = {
  readonly url: string
  readonly rpc: Rpc
  /** Writes the state, if it is kept, and ends. */
  close(): Promise<void>
}

export class RpcError extends Error {
  readonly data: unknown

  constructor(message: string, data: unknown) {
    super(message)
    this.name = 'RpcError'
    this.data = data
  }
}

const PACKAGE = '@foundry-rs/anvil-linux-amd64'
const TIMEOUT_MS = 10_000

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
    rpc: rpcTo(url),
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

export function rpcTo(url: string): Rpc {
  let id = 0
  return async (method, params = []) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { result, error } = (await response.json()) as Answer
    if (error) throw new RpcError(`${method}: ${error.message}`, error.data)
    return result
  }
}

type Answer = { result?: unknown; error?: { message: string; data?: unknown } }
