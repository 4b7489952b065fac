import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { rpcTo } from '../kernel/accounts/chain/evm-client.ts'
import type { Rpc } from '../kernel/accounts/chain/rpc.ts'

// Runs anvil, an EVM node whose npm package has binaries for some platforms.

type Anvil = {
  readonly url: string
  readonly rpc: Rpc
  /** Writes the state, if it is kept, and stops the node. */
  close(): Promise<void>
}

const PACKAGE = '@foundry-rs/anvil-linux-amd64'
/** Interval of saving the state. A killed node loses at most this much. */
const STATE_INTERVAL_SECONDS = 1
const END_POLL_MS = 20
const END_TIMEOUT_MS = 10_000

/** The path of the binary; undefined on platforms without one and where it was not installed. */
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
  stateFile,
  args = [],
}: {
  chainId: number
  /** 0 picks a free one. */
  port?: number
  /** The file in which the chain is kept between runs; without it the chain is discarded at the end. */
  stateFile?: string
  args?: readonly string[]
}): Promise<Anvil> {
  const binary = findAnvil()
  if (!binary) {
    throw new Error(
      `a chain of one's own needs the package ${PACKAGE}, which is not installed: "npm ci" in a clone installs it on Linux with x64`,
    )
  }
  if (stateFile) await endFormer(stateFile)
  const options = ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId)]
  const interval = String(STATE_INTERVAL_SECONDS)
  const state = stateFile ? ['--state', stateFile, '--state-interval', interval] : []
  const child = spawn(binary, [...options, ...state, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A kept chain is stopped by us, not by the Ctrl-C that also reaches the node.
    detached: stateFile !== undefined,
  })
  // Errors during the start are reported by the wait for the first output.
  const ended = once(child, 'exit').catch(() => {})
  const url = await urlOf(child)
  if (stateFile) writeFileSync(pidFile(stateFile), String(child.pid))
  return {
    url,
    rpc: rpcTo([url], chainId),
    async close() {
      child.kill('SIGTERM')
      await ended
      if (stateFile) rmSync(pidFile(stateFile), { force: true })
    },
  }
}

const pidFile = (stateFile: string) => `${stateFile}.pid`

/** A killed server leaves its node running, which alone has the newest state and writes it as it ends. */
async function endFormer(stateFile: string): Promise<void> {
  const file = pidFile(stateFile)
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8'))
  if (isNodeOf(stateFile, pid)) process.kill(pid, 'SIGTERM')
  for (let waited = 0; isNodeOf(stateFile, pid); waited += END_POLL_MS) {
    if (waited > END_TIMEOUT_MS) throw new Error(`the node of an earlier run does not end: ${pid}`)
    await delay(END_POLL_MS)
  }
  rmSync(file, { force: true })
}

/** The process id may belong to another process by now. */
function isNodeOf(stateFile: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(stateFile)
  } catch {
    return false
  }
}

/** Reads all output: a full pipe would block the node. */
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
