import type { Command } from 'commander'
import { type ClientConfig, NETWORKS } from '../config.ts'
import { probeJson } from './client.ts'
import { Failure } from './failure.ts'

/** The servers a command talks to. */
export type Target = {
  readonly hub: string
  readonly accounts: string
  /** Only asked for development helpers, and only on this machine. */
  readonly operations: string
  readonly network: string
  readonly keys: string
  readonly auth?: string
}

/** The options of every command that talks to a running server. */
export function withTarget(command: Command, config: ClientConfig): Command {
  return command
    .option('--hub <url>', 'address of the hub', config.hubUrl)
    .option('--accounts <url>', 'address of the accounts interface', config.accountsUrl)
    .option('--operations <url>', 'address of the operations interface', config.opsUrl)
    .option('--network <name>', 'network of the messages', config.network)
    .option('--keys <file>', 'key file', config.keyFile)
}

export function networkNumber({ network }: Target): number {
  const number = Object.hasOwn(NETWORKS, network) && NETWORKS[network as keyof typeof NETWORKS]
  if (number) return number
  throw new Failure(
    `--network must be one of ${Object.keys(NETWORKS).join(', ')}, not "${network}"`,
  )
}

/** A path on one of the servers. */
export function at(server: string, path: string): string {
  if (!URL.canParse(server))
    throw new Failure(`"${server}" is not a URL like http://127.0.0.1:2281`)
  return `${server.replace(/\/+$/, '')}${path}`
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/

/** Answers of a development network's helpers; undefined from any other hub. */
export async function askDevNetwork(target: Target, path: string) {
  // The helpers of this machine say nothing about a hub elsewhere.
  const url = new URL(at(target.hub, '/'))
  return LOOPBACK.test(url.hostname) ? probeJson(at(target.operations, path)) : undefined
}

/** Unix ms: the clock of a development network may have been moved ahead of ours. */
export async function networkNow(target: Target): Promise<number> {
  const time = await askDevNetwork(target, '/dev/clock')
  return Date.now() + (time?.aheadSeconds ?? 0) * 1000
}
