import type { App } from '../app.ts'
import { type Config, readClientConfig } from '../config.ts'
import { FORKED_FID } from '../kernel/accounts/fid-floor.ts'
import { parseDatabaseUrl } from '../kernel/base/database-url.ts'
import { VERSION } from '../kernel/base/version.ts'
import { hint } from './output.ts'

/** What a developer has asked for: a mini app and a snap to open, and the hub whose accounts the network has, too. */
export type Opened = {
  readonly miniApp?: string | undefined
  readonly snap?: string | undefined
  readonly fork?: string
}

/** The output of a server when it listens. */
export function banner(
  app: App & { readonly chainUrl?: string | undefined },
  opened: Opened = {},
): string {
  const { config, urls, followers, chainUrl } = app
  const [chain] = followers.status()
  const { hub, grpc, registry, platform, accounts, app: appApi, web, operations } = urls
  const lines = [
    `Rookery ${VERSION}, ${config.mode === 'development' ? 'development network' : 'production'}, ${storeOf(config)}`,
    '',
    `  Open ${web} in a browser. API reference: ${web}/docs`,
    ...(opened.fork
      ? [`  Fork of ${opened.fork}: its accounts are read when they are asked for.`]
      : []),
    ...(opened.miniApp ? [`  Mini app: ${roomOf(web, 'mini-apps', opened.miniApp)}`] : []),
    ...(opened.snap ? [`  Snap: ${roomOf(web, 'snaps', opened.snap)}`] : []),
    '',
    `  web         ${web}   (everything at one address)`,
    `  hub         ${hub}   (casts, profiles, events)`,
    `  hub, gRPC   ${grpc}   (the same hub for hub-nodejs and shuttle)`,
    // A mirror has none, unless it follows one.
    ...(registry ? [`  registry    ${registry}   (names)`] : []),
    `  platform    ${platform}   (channels, badges, keys for apps)`,
    `  accounts    ${accounts}${chain ? `   (followed from chain ${chain.chainId})` : ''}`,
    ...(appApi ? [`  app API     ${appApi}   (feeds, threads, search for clients)`] : []),
    `  operations  ${operations}   (health, metrics)`,
    ...(chainUrl ? [`  chain       ${chainUrl}   (for wallets; its id is ${config.chainId})`] : []),
  ]
  if (config.mode === 'development')
    lines.push('', ...firstSteps(urls, opened.fork === undefined ? 1 : FORKED_FID + 1))
  return lines.join('\n')
}

/** Where a mini app or a snap is developed. */
const roomOf = (web: string, room: 'mini-apps' | 'snaps', url: string): string =>
  `${web}/development/${room}?${new URLSearchParams({ url })}`

function firstSteps({ hub, accounts, operations, web }: App['urls'], fid: number): string[] {
  const cast = hint('cast')
  // The commands find default addresses without options.
  const usual = readClientConfig({})
  const options = [
    ...(hub === usual.hubUrl ? [] : [` --hub ${hub}`]),
    ...(operations === usual.opsUrl ? [] : [` --operations ${operations}`]),
  ].join('')
  return [
    `Read casts of fid ${fid} (a fid is an account number):`,
    `  curl '${hub}/v1/castsByFid?fid=${fid}&reverse=1'`,
    'Post your first cast:',
    `  ${cast}${options} --fid ${fid} "Hello from my own network"`,
    'The same with curl, which submits the signed message:',
    `  ${cast}${options} --fid ${fid} "Hello again" --print |`,
    `    curl --data-binary @- -H 'content-type: application/octet-stream' ${hub}/v1/submitMessage`,
    ...(web === usual.webUrl ? [] : otherAddresses(web)),
    `All accounts with their keys: ${operations}/dev/accounts   Calls for wallets: ${accounts}/docs`,
    'Stop with Ctrl-C.',
  ]
}

/** Location of the data, without the password of the database. */
function storeOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === undefined) return `data in ${dataDir}`
  const urls = parseDatabaseUrl(databaseUrl).hosts.map((host) => new URL(host))
  return `data in PostgreSQL at ${urls.map(({ host }) => host).join(', ')}${urls[0]!.pathname}`
}

/** A shell in which all commands find a network that is not at the usual ports. */
const otherAddresses = (web: string): string[] => [
  'For all commands of a shell:',
  `  eval "$(${hint('dev env')} --port ${new URL(web).port})"`,
]
