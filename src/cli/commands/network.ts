import { type Command, Option } from 'commander'
import type { ClientConfig } from '../../config.ts'
import {
  type AccountDomains,
  accountDomains,
} from '../../kernel/protocol/crypto/account-domains.ts'
import { NETWORKS } from '../../kernel/storage/settings.ts'
import { getJson, probeJson } from '../client.ts'
import { Failure } from '../failure.ts'

/** The servers a command talks to. */
export type Target = {
  readonly hub: string
  readonly accounts: string
  /** Only asked for development helpers, and only on this machine. */
  readonly operations: string
  /** The network of the hub unless given. */
  readonly network?: string
  readonly keys: string
  readonly auth?: string
}

/** Heading of the options that name servers. */
export const SERVERS = 'Where it is:'

/** An option that names a server or what is known about it. */
export const serverOption = (flags: string, text: string, preset: string | undefined): Option =>
  new Option(flags, text).default(preset).helpGroup(SERVERS)

/** The options of every command that talks to a running server. */
export const withTarget = (command: Command, config: ClientConfig): Command =>
  command
    .addOption(serverOption('--hub <url>', 'address of the hub', config.hubUrl))
    .addOption(
      serverOption('--accounts <url>', 'address of the accounts interface', config.accountsUrl),
    )
    .addOption(
      serverOption('--operations <url>', 'address of the operations interface', config.opsUrl),
    )
    .addOption(
      serverOption(
        '--network <name>',
        'network of the messages (default: that of the hub)',
        config.network,
      ),
    )
    .addOption(serverOption('--keys <file>', 'key file', config.keyFile))

/** The option of commands that ask the app API. */
export const withApp = (command: Command, config: ClientConfig): Command =>
  command.addOption(serverOption('--app <url>', 'address of the app API', config.appUrl))

/** The EIP-712 domains of calls about accounts, which differ from network to network. */
export async function accountDomainsOf({
  accounts,
}: Pick<Target, 'accounts'>): Promise<AccountDomains> {
  const network = (await getJson(at(accounts, '/v1/info')))?.accounts
  if (network?.chainId && network.contracts) return accountDomains(network)
  throw new Failure(`${accounts} is not an accounts interface; set its address with --accounts`)
}

/** The network number of messages: that of --network or ROOKERY_NETWORK, otherwise that of the hub. */
export async function findNetworkNumber({ network, hub }: Target): Promise<number> {
  if (network !== undefined) return networkNumber('--network', network)
  const info = await getJson(at(hub, '/v1/info'))
  if (info?.network !== undefined) return networkNumber(`the network of ${hub}`, info.network)
  throw new Failure(`${hub} does not say which network it serves; name it with --network`)
}

function networkNumber(what: string, name: string): number {
  const number = Object.hasOwn(NETWORKS, name) && NETWORKS[name as keyof typeof NETWORKS]
  if (number) return number
  throw new Failure(`${what} must be one of ${Object.keys(NETWORKS).join(', ')}, not "${name}"`)
}

/** A path on one of the servers. */
export function at(server: string, path: string): string {
  if (!URL.canParse(server))
    throw new Failure(`"${server}" is not a URL like http://127.0.0.1:2281`)
  return `${server.replace(/(?<!\/)\/+$/, '')}${path}`
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/

/** GET on the helpers of a development network; undefined for any other hub. */
export async function askDevNetwork(target: Target, path: string) {
  // The helpers of this machine know nothing about a hub on another one.
  const url = new URL(at(target.hub, '/'))
  return LOOPBACK.test(url.hostname) ? probeJson(at(target.operations, path)) : undefined
}

/** The network's time in Unix ms: the clock of a development network may be ahead of this machine's. */
export async function networkNow(target: Target): Promise<number> {
  const time = await askDevNetwork(target, '/dev/clock')
  return Date.now() + (time?.aheadSeconds ?? 0) * 1000
}
