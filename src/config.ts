import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fromHex } from './protocol/bytes.ts'
import { DEPLOYED_CHAIN_ID } from './protocol/eip712.ts'
import { FNAME_PATTERN } from './protocol/names.ts'
import { readPrivateKey } from './protocol/secp256k1.ts'
import { Network } from './protocol/wire/message_pb.js'

// Every setting there is: its variable, what it means, how its text is read. docs/configuration.md is
// generated from this table.

export type Mode = 'development' | 'production'

export type Config = { readonly mode: Mode } & { readonly [K in SettingKey]: SettingValue<K> }

type SettingKey = keyof typeof SETTINGS
type SettingValue<K extends SettingKey> = (typeof SETTINGS)[K] extends Setting<infer T> ? T : never

type Setting<T> = {
  readonly variable: string
  readonly what: string
  /** The text that stands for a missing one, by mode; undefined: the setting may be missing. */
  readonly defaults: { readonly development?: string; readonly production?: string }
  /** Throws an Error that says what is wrong with the text. */
  parse(text: string): T
  /** Its value is never shown. */
  readonly secret?: boolean
  readonly requiredIn?: Mode
}

/** All faults of the settings at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export const NETWORKS = {
  mainnet: Network.MAINNET,
  testnet: Network.TESTNET,
  devnet: Network.DEVNET,
}

/** The word for a network's number in settings. */
export const networkName = (network: number): string =>
  Object.entries(NETWORKS).find(([, number]) => number === network)?.[0] ?? String(network)

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** The first account of the test phrase, whose key everybody knows. */
const TEST_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const TEST_ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
/** The fid that acts for the deployed registry. */
const DEPLOYED_ADMIN_FID = 14045
const RESERVED_NAMES =
  'admin,administrator,fnames,help,hub,moderator,official,registry,rookery,root,security,staff,support,system,www'

const BASE_CHAIN_ID = 8453
/** By chain id: before these blocks, none of the deployed contracts was there. */
export const START_BLOCKS: Readonly<Record<number, number>> = {
  [DEPLOYED_CHAIN_ID]: 108_864_739,
  [BASE_CHAIN_ID]: 31_180_908,
}
/** The contracts that a setting can say the address of. */
const CONTRACTS = [
  'idRegistry',
  'idGateway',
  'keyRegistry',
  'keyGateway',
  'storageRegistry',
  'signedKeyRequestValidator',
  'bundler',
  'tierRegistry',
] as const

const same = (text: string) => ({ development: text, production: text })

export const SETTINGS = {
  dataDir: setting({
    variable: 'ROOKERY_DATA_DIR',
    what: 'Directory of the embedded store.',
    defaults: same('data'),
    parse: (text) => resolve(text),
  }),
  databaseUrl: optionalSetting({
    variable: 'DATABASE_URL',
    what: 'PostgreSQL to use in place of the embedded store: postgres://user:password@host/name.',
    parse: databaseUrl,
    secret: true,
  }),
  network: setting({
    variable: 'ROOKERY_NETWORK',
    what: 'Network of the messages: mainnet, testnet or devnet.',
    defaults: { development: 'devnet' },
    parse: (text) => oneOf(text, NETWORKS),
    requiredIn: 'production',
  }),
  host: setting({
    variable: 'ROOKERY_HOST',
    what: 'Address the public interfaces listen on.',
    defaults: { development: '127.0.0.1', production: '0.0.0.0' },
    parse: nonEmpty,
  }),
  hubPort: portSetting('ROOKERY_HUB_PORT', 'the hub', 2281),
  registryPort: portSetting('ROOKERY_REGISTRY_PORT', 'the name registry', 2285),
  platformPort: portSetting('ROOKERY_PLATFORM_PORT', 'the client platform', 2286),
  accountsPort: portSetting('ROOKERY_ACCOUNTS_PORT', 'the accounts interface', 2287),
  opsPort: portSetting('ROOKERY_OPS_PORT', 'operations, on loopback', 2280),
  opsToken: optionalSetting({
    variable: 'ROOKERY_OPS_TOKEN',
    what: 'Token that operator calls and metrics ask for. Operator calls are off in production without one.',
    parse: (text) => longEnough(text, 16),
    secret: true,
  }),
  rpcAuth: setting({
    variable: 'ROOKERY_RPC_AUTH',
    what: 'user:password pairs, comma separated, that submits ask for; empty leaves them open.',
    defaults: same(''),
    parse: credentials,
    secret: true,
  }),
  corsOrigin: setting({
    variable: 'ROOKERY_CORS_ORIGIN',
    what: 'The one web origin that may read answers, or * for any.',
    defaults: same('*'),
    parse: webOrigin,
  }),
  trustedProxies: setting({
    variable: 'ROOKERY_TRUSTED_PROXIES',
    what: 'Addresses and CIDR ranges, comma separated, whose X-Forwarded-For is believed.',
    defaults: same(''),
    parse: (text) => list(text).map(addressRange),
  }),
  submitLimit: setting({
    variable: 'ROOKERY_SUBMIT_LIMIT',
    what: 'Submits a minute from one address. In development, loopback is not counted.',
    defaults: same('20000'),
    parse: (text) => integer(text, 1, 1e9),
  }),
  accountsLimit: setting({
    variable: 'ROOKERY_ACCOUNTS_LIMIT',
    what: 'Account calls a minute from one address. In development, loopback is not counted.',
    defaults: same('600'),
    parse: (text) => integer(text, 1, 1e9),
  }),
  signupUnits: setting({
    variable: 'ROOKERY_SIGNUP_UNITS',
    what: 'Storage units that come with a new fid.',
    defaults: same('20'),
    parse: (text) => integer(text, 0, 10_000),
  }),
  confirmationMs: setting({
    variable: 'ROOKERY_CONFIRMATION_MS',
    what: 'How long the ledger lets an accepted call wait before it counts, in milliseconds.',
    defaults: { development: '0', production: '2000' },
    parse: (text) => integer(text, 0, 3_600_000),
  }),
  chainRpcUrls: setting({
    variable: 'ROOKERY_CHAIN_RPC_URLS',
    what: 'JSON-RPC addresses, comma separated, first choice first: accounts are then followed from that chain (docs/chain.md).',
    defaults: same(''),
    parse: httpUrls,
    secret: true,
  }),
  chainId: setting({
    variable: 'ROOKERY_CHAIN_ID',
    what: 'Id of the chain that accounts are followed from; a URL of another chain is never used.',
    defaults: same(String(DEPLOYED_CHAIN_ID)),
    parse: (text) => integer(text, 1, 2 ** 32 - 1),
  }),
  chainContracts: setting({
    variable: 'ROOKERY_CHAIN_CONTRACTS',
    what: `Contracts at other addresses than the deployed ones, as name=address, comma separated: ${CONTRACTS.join(', ')}.`,
    defaults: same(''),
    parse: contracts,
  }),
  chainStartBlock: optionalSetting({
    variable: 'ROOKERY_CHAIN_START_BLOCK',
    what: `First block to follow accounts from; ${START_BLOCKS[DEPLOYED_CHAIN_ID]} on chain ${DEPLOYED_CHAIN_ID} unless given.`,
    parse: (text) => integer(text, 1, 2 ** 32 - 1),
  }),
  chainConfirmations: setting({
    variable: 'ROOKERY_CHAIN_CONFIRMATIONS',
    what: 'How many blocks a block must have above it before its events count.',
    defaults: same('2'),
    parse: (text) => integer(text, 0, 100_000),
  }),
  chainPollMs: setting({
    variable: 'ROOKERY_CHAIN_POLL_MS',
    what: 'How often the chain is asked for new blocks, in milliseconds; each time costs up to five RPC calls.',
    defaults: same('4000'),
    parse: (text) => integer(text, 20, 3_600_000),
  }),
  tierRpcUrls: setting({
    variable: 'ROOKERY_TIER_RPC_URLS',
    what: 'JSON-RPC addresses, comma separated, of the chain where tiers are bought (Base); its purchases are then followed too.',
    defaults: same(''),
    parse: httpUrls,
    secret: true,
  }),
  tierChainId: setting({
    variable: 'ROOKERY_TIER_CHAIN_ID',
    what: 'Id of the chain where tiers are bought.',
    defaults: same(String(BASE_CHAIN_ID)),
    parse: (text) => integer(text, 1, 2 ** 32 - 1),
  }),
  tierStartBlock: optionalSetting({
    variable: 'ROOKERY_TIER_START_BLOCK',
    what: `First block to follow tiers from; ${START_BLOCKS[BASE_CHAIN_ID]} on chain ${BASE_CHAIN_ID} unless given.`,
    parse: (text) => integer(text, 1, 2 ** 32 - 1),
  }),
  relayerKey: optionalSetting({
    variable: 'ROOKERY_RELAYER_KEY',
    what: 'Private key of the account that sends what users approve to the chain, and pays for it; without one, users send it themselves.',
    parse: privateKey,
    secret: true,
  }),
  relayerMaxFeeGwei: setting({
    variable: 'ROOKERY_RELAYER_MAX_FEE_GWEI',
    what: 'The most that account pays for a unit of gas, in gwei; while the chain asks for more, calls wait.',
    defaults: same('5'),
    parse: (text) => integer(text, 1, 1_000_000),
  }),
  relayerMaxGas: setting({
    variable: 'ROOKERY_RELAYER_MAX_GAS',
    what: 'The most gas one call of that account may take; calls that take more are refused.',
    defaults: same('1000000'),
    parse: (text) => integer(text, 21_000, 30_000_000),
  }),
  chainPort: portSetting(
    'ROOKERY_CHAIN_PORT',
    'the chain that rookery start --chain anvil runs',
    8545,
  ),
  networkPrefix: setting({
    variable: 'ROOKERY_JSON_NETWORK_PREFIX',
    what: 'What network names in JSON begin with; deployed clients expect FARCASTER_NETWORK.',
    defaults: same('SOCIAL_NETWORK'),
    parse: (text) => matching(text, /^[A-Z][A-Z_]{0,40}[A-Z]$/, 'capital letters and underscores'),
  }),
  frameBytes: setting({
    variable: 'ROOKERY_JSON_FRAME_BYTES',
    what: 'Frame urls and input texts in JSON: text, or base64 as deployed hubs write them.',
    defaults: same('text'),
    parse: (text) => oneOf(text, { text: 'text', base64: 'base64' } as const),
  }),
  signatures: setting({
    variable: 'ROOKERY_SIGNATURES',
    what: 'What a message signature may be over: hash (every real client), or either hash or data.',
    defaults: same('either'),
    parse: (text) => oneOf(text, { hash: 'hash', either: 'either' } as const),
  }),
  revokeOnKeyRemoval: setting({
    variable: 'ROOKERY_REVOKE_ON_KEY_REMOVAL',
    what: 'true: removing a key deletes the messages it signed; false: they stay.',
    defaults: same('false'),
    parse: (text) => oneOf(text, { true: true, false: false }),
  }),
  ethRpcUrls: setting({
    variable: 'ROOKERY_ETH_RPC_URLS',
    what: 'JSON-RPC addresses as chainId=url, comma separated (1 for ENS, 8453 for base names, 1 and 10 for contract wallets).',
    defaults: same(''),
    parse: rpcUrls,
    secret: true,
  }),
  registryUrl: optionalSetting({
    variable: 'ROOKERY_REGISTRY_URL',
    what: 'Another name registry, whose names the hub takes; this server then has none of its own.',
    parse: httpUrl,
  }),
  registrySigners: setting({
    variable: 'ROOKERY_REGISTRY_SIGNERS',
    what: "Addresses, comma separated, whose signature that registry's transfers may carry; what it publishes as its signer unless given.",
    defaults: same(''),
    parse: (text) => list(text).map(address),
  }),
  registryKey: optionalSetting({
    variable: 'ROOKERY_REGISTRY_KEY',
    what: 'Private key that signs names: 0x and 64 hex digits. In production without one, registry.key in the data directory, made on the first start.',
    defaults: { development: TEST_KEY },
    parse: privateKey,
    secret: true,
  }),
  registryAdmins: setting({
    variable: 'ROOKERY_REGISTRY_ADMINS',
    what: 'Who may act for the registry: fid=address, comma separated.',
    defaults: { development: `${DEPLOYED_ADMIN_FID}=${TEST_ADDRESS}`, production: '' },
    parse: admins,
  }),
  reservedNames: setting({
    variable: 'ROOKERY_RESERVED_NAMES',
    what: 'Names, comma separated, that only administrators give away, with all that look like them.',
    defaults: same(RESERVED_NAMES),
    parse: (text) => list(text).map((name) => matching(name, FNAME_PATTERN, 'names')),
  }),
  nameChangeDays: setting({
    variable: 'ROOKERY_NAME_CHANGE_DAYS',
    what: 'Days until a name that changed hands may do so again.',
    defaults: same('28'),
    parse: (text) => integer(text, 0, 3_650),
  }),
  registryLimit: setting({
    variable: 'ROOKERY_REGISTRY_LIMIT',
    what: 'Requests to change names a minute from one address. In development, loopback is not counted.',
    defaults: same('120'),
    parse: (text) => integer(text, 1, 1e9),
  }),
  registryFidLimit: setting({
    variable: 'ROOKERY_REGISTRY_FID_LIMIT',
    what: 'Changes of names a minute that one fid may make.',
    defaults: { development: '6000', production: '60' },
    parse: (text) => integer(text, 1, 1e9),
  }),
  registryTotalLimit: setting({
    variable: 'ROOKERY_REGISTRY_TOTAL_LIMIT',
    what: 'Changes of names a minute in all.',
    defaults: { development: '600000', production: '6000' },
    parse: (text) => integer(text, 1, 1e9),
  }),
  platformPublicUrl: optionalSetting({
    variable: 'ROOKERY_PLATFORM_PUBLIC_URL',
    what: 'Where browsers find the client platform; where it listens unless given.',
    parse: httpUrl,
  }),
  platformLimit: setting({
    variable: 'ROOKERY_PLATFORM_LIMIT',
    what: 'Requests to the client platform in ten seconds from one address. In development, loopback is not counted.',
    defaults: same('2500'),
    parse: (text) => integer(text, 1, 1e9),
  }),
  badgeSeeds: setting({
    variable: 'ROOKERY_BADGE_SEEDS',
    what: 'Fids, comma separated, that trust begins with when power badges are computed; the ten oldest accounts unless given (docs/power-badges.md).',
    defaults: same(''),
    parse: (text) => list(text).map((fid) => integer(fid, 1, 2 ** 32 - 1)),
  }),
  badgePercent: setting({
    variable: 'ROOKERY_BADGE_PERCENT',
    what: 'Power badges go to the accounts that together hold this part of all trust, in percent.',
    defaults: same('50'),
    parse: (text) => integer(text, 1, 100),
  }),
  badgeMax: setting({
    variable: 'ROOKERY_BADGE_MAX',
    what: 'How many accounts have a power badge at most; 0 computes none.',
    defaults: same('10000'),
    parse: (text) => integer(text, 0, 100_000),
  }),
  tokenLifetimeSeconds: setting({
    variable: 'ROOKERY_TOKEN_LIFETIME_SECONDS',
    what: 'How far ahead the token of an app may expire.',
    defaults: same('3600'),
    parse: (text) => integer(text, 60, 365 * 24 * 3_600),
  }),
  channelUrlBase: setting({
    variable: 'ROOKERY_CHANNEL_URL_BASE',
    what: 'What the url of a new channel begins with, unless it is created with another; its id follows.',
    defaults: same('https://farcaster.xyz/~/channel/'),
    parse: (text) => `${httpUrl(text)}/`,
  }),
  channelsPerFid: setting({
    variable: 'ROOKERY_CHANNELS_PER_FID',
    what: 'Channels that one fid may create; those that the operator creates for it do not count.',
    defaults: { development: '100', production: '10' },
    parse: (text) => integer(text, 0, 1e9),
  }),
  appScheme: setting({
    variable: 'ROOKERY_APP_SCHEME',
    what: "The scheme of links that open the user's wallet app.",
    defaults: same('farcaster'),
    parse: (text) => matching(text, /^[a-z][a-z0-9+.-]*$/, 'a URL scheme'),
  }),
  fetchLoopback: setting({
    variable: 'ROOKERY_FETCH_LOOPBACK',
    what: 'true: the documents of actions may be on this machine, over http; only for development.',
    defaults: { development: 'true', production: 'false' },
    parse: (text) => oneOf(text, { true: true, false: false }),
  }),
  enforceBlocks: setting({
    variable: 'ROOKERY_ENFORCE_BLOCKS',
    what: 'true: the hub refuses casts of blocked users that answer, mention or quote who blocks them.',
    defaults: same('false'),
    parse: (text) => oneOf(text, { true: true, false: false }),
  }),
  ensDomains: setting({
    variable: 'ROOKERY_ENS_DOMAINS',
    what: 'Domains, comma separated, under which names resolve in ENS.',
    defaults: same('fcast.id'),
    parse: (text) => list(text).map((domain) => matching(domain, DOMAIN, 'domain names')),
  }),
  ensResolver: setting({
    variable: 'ROOKERY_ENS_RESOLVER',
    what: 'Address of the resolver contract of those domains.',
    defaults: same('0x145b9934B42F214C101De04b6115285959BDD4F5'),
    parse: address,
  }),
  nickname: setting({
    variable: 'ROOKERY_NICKNAME',
    what: 'Name of the hub in /v1/info.',
    defaults: same('Rookery'),
    parse: nonEmpty,
  }),
  operatorFid: setting({
    variable: 'ROOKERY_OPERATOR_FID',
    what: 'Fid of who runs the hub, in /v1/info; 0 for nobody.',
    defaults: same('0'),
    parse: (text) => integer(text, 0, 2 ** 32 - 1),
  }),
  verifiers: setting({
    variable: 'ROOKERY_VERIFIER_THREADS',
    what: 'Threads that verify signatures.',
    defaults: same('1'),
    parse: (text) => integer(text, 1, 64),
  }),
  logLevel: setting({
    variable: 'ROOKERY_LOG_LEVEL',
    what: `Least important log entries to write: ${LEVELS.join(', ')}.`,
    defaults: { development: 'warn', production: 'info' },
    parse: (text) => oneOf(text, Object.fromEntries(LEVELS.map((level) => [level, level]))),
  }),
} as const

/** What the commands that talk to a running server read: variable and meaning. */
export const CLIENT_SETTINGS = {
  hubUrl: ['ROOKERY_HUB_URL', 'Where the hub is; the local port unless given.'],
  registryUrl: ['ROOKERY_REGISTRY_URL', 'Where the name registry is; the local port.'],
  platformUrl: ['ROOKERY_PLATFORM_URL', 'Where the client platform is; the local port.'],
  accountsUrl: ['ROOKERY_ACCOUNTS_URL', 'Where the accounts interface is; the local port.'],
  opsUrl: ['ROOKERY_OPS_URL', 'Where the operations interface is; the local port.'],
  keyFile: [
    'ROOKERY_KEYS',
    'File that holds the keys of accounts made here; ~/.rookery/accounts.json.',
  ],
} as const

export type ClientConfig = { readonly [K in keyof typeof CLIENT_SETTINGS]: string } & {
  /** undefined: the network of the hub that a command talks to. */
  readonly network: string | undefined
  /** user:password for submits, when the environment that the server reads says some. */
  readonly auth: string | undefined
  /** For operator calls, likewise. */
  readonly opsToken: string | undefined
}

/** The same environment as a server's, read by a command that talks to it. */
export function readClientConfig(env: Readonly<Record<string, string | undefined>>): ClientConfig {
  const given = (key: keyof typeof CLIENT_SETTINGS) => env[CLIENT_SETTINGS[key][0]]
  const local = ({ variable, defaults }: Setting<number>) =>
    `http://127.0.0.1:${env[variable] || defaults.development}`
  return {
    hubUrl: given('hubUrl') || local(SETTINGS.hubPort),
    registryUrl: given('registryUrl') || local(SETTINGS.registryPort),
    platformUrl: given('platformUrl') || local(SETTINGS.platformPort),
    accountsUrl: given('accountsUrl') || local(SETTINGS.accountsPort),
    opsUrl: given('opsUrl') || local(SETTINGS.opsPort),
    keyFile: given('keyFile') || join(homedir(), '.rookery', 'accounts.json'),
    network: env[SETTINGS.network.variable] || undefined,
    auth: list(env[SETTINGS.rpcAuth.variable] ?? '')[0],
    opsToken: env[SETTINGS.opsToken.variable] || undefined,
  }
}

/**
 * Reads all settings from environment variables. Throws a ConfigError that names every fault, also
 * ROOKERY_ variables that mean nothing.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, mode: Mode): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = { mode }
  for (const [key, setting] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const given = env[setting.variable]
    const text = given === undefined || given === '' ? setting.defaults[mode] : given
    if (text === undefined) {
      if (setting.requiredIn === mode)
        faults.push(`${setting.variable} is missing. ${setting.what}`)
      continue
    }
    try {
      config[key] = setting.parse(text)
    } catch (error) {
      faults.push(`${setting.variable} ${(error as Error).message}`)
    }
  }
  faults.push(...unknownVariables(env))
  faults.push(...samePorts(config))
  faults.push(...contradictions(env))
  faults.push(...developmentOnly(config))
  if (faults.length > 0) throw new ConfigError(faults)
  return config as Config
}

function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set<string>([
    ...Object.values(SETTINGS).map(({ variable }) => variable),
    ...Object.values(CLIENT_SETTINGS).map(([variable]) => variable),
  ])
  return Object.keys(env)
    .filter((name) => name.startsWith('ROOKERY_') && !known.has(name))
    .map((name) => `${name} is not a setting (see docs/configuration.md)`)
}

function contradictions(env: Readonly<Record<string, string | undefined>>): string[] {
  const [url, key, signers] = [
    SETTINGS.registryUrl,
    SETTINGS.registryKey,
    SETTINGS.registrySigners,
  ].map(({ variable }) => variable)
  const remote = Boolean(env[url!])
  return [
    ...chainContradictions(env),
    ...(remote && env[key!]
      ? [`${url} and ${key} contradict each other: names come from there or from here`]
      : []),
    ...(!remote && env[signers!] ? [`${signers} means nothing without ${url}`] : []),
  ]
}

function developmentOnly({ mode, fetchLoopback }: Record<string, unknown>): string[] {
  const { variable } = SETTINGS.fetchLoopback
  return mode === 'production' && fetchLoopback === true
    ? [
        `${variable} is for development: in production it would open this machine to whoever names URLs`,
      ]
    : []
}

const PORTS = [
  'hubPort',
  'registryPort',
  'platformPort',
  'accountsPort',
  'opsPort',
  'chainPort',
] as const

function chainContradictions(env: Readonly<Record<string, string | undefined>>): string[] {
  const variables = (...keys: SettingKey[]) => keys.map((key) => SETTINGS[key].variable)
  const given = (variable: string) => Boolean(env[variable])
  const [chain, tiers, relayer] = variables('chainRpcUrls', 'tierRpcUrls', 'relayerKey') as [
    string,
    string,
    string,
  ]
  const without = (needed: string, keys: SettingKey[]) =>
    given(needed)
      ? []
      : variables(...keys)
          .filter(given)
          .map((variable) => `${variable} means nothing without ${needed}`)
  const ofLedger = variables('confirmationMs', 'signupUnits').filter(given)
  return [
    ...without(chain, [
      'chainId',
      'chainContracts',
      'chainStartBlock',
      'chainConfirmations',
      'chainPollMs',
      'tierRpcUrls',
      'relayerKey',
    ]),
    ...without(relayer, ['relayerMaxFeeGwei', 'relayerMaxGas']),
    ...without(tiers, ['tierChainId', 'tierStartBlock']),
    ...(given(chain)
      ? ofLedger.map((variable) => `${variable} is of the ledger, which ${chain} replaces`)
      : []),
    ...startBlockMissing(env, chain, 'chainId', 'chainStartBlock'),
    ...startBlockMissing(env, tiers, 'tierChainId', 'tierStartBlock'),
  ]
}

function startBlockMissing(
  env: Readonly<Record<string, string | undefined>>,
  urls: string,
  chainIdKey: 'chainId' | 'tierChainId',
  startKey: 'chainStartBlock' | 'tierStartBlock',
): string[] {
  const { variable, defaults } = SETTINGS[chainIdKey]
  const chainId = env[variable] || defaults.production
  const start = SETTINGS[startKey].variable
  if (!env[urls] || env[start] || START_BLOCKS[Number(chainId)]) return []
  return [`${start} is missing: since when chain ${chainId} has the contracts is not known here`]
}

function samePorts(config: Record<string, unknown>): string[] {
  const taken = new Map<unknown, string>()
  return PORTS.flatMap((key) => {
    const port = config[key]
    const { variable } = SETTINGS[key]
    const other = taken.get(port)
    if (port === 0 || port === undefined) return []
    taken.set(port, variable)
    return other ? [`${variable} and ${other} are both ${port}`] : []
  })
}

function setting<T>(setting: Setting<T>): Setting<T> {
  return setting
}

function optionalSetting<T>(
  setting: Omit<Setting<T>, 'defaults'> & Partial<Setting<T>>,
): Setting<T | undefined> {
  return { defaults: {}, ...setting }
}

function portSetting(variable: string, who: string, port: number): Setting<number> {
  return {
    variable,
    what: `Port of ${who}; 0 picks a free one.`,
    defaults: same(String(port)),
    parse: (text) => integer(text, 0, 65_535),
  }
}

function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty')
  return text
}

function longEnough(text: string, characters: number): string {
  if (text.length < characters) throw new Error(`must have at least ${characters} characters`)
  return text
}

function matching(text: string, pattern: RegExp, words: string): string {
  if (!pattern.test(text)) throw new Error(`must be ${words}, not "${text}"`)
  return text
}

function integer(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`)
  }
  return value
}

function oneOf<T>(text: string, values: Readonly<Record<string, T>>): T {
  const value = Object.hasOwn(values, text) ? values[text] : undefined
  if (value === undefined) {
    throw new Error(`must be one of ${Object.keys(values).join(', ')}, not "${text}"`)
  }
  return value
}

function list(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '')
}

const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

function privateKey(text: string): Uint8Array {
  const key = readPrivateKey(text)
  if (!key) throw new Error('must be a private key: 0x and 64 hex digits')
  return key
}

/** 20 bytes. */
function address(text: string): Uint8Array {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) {
    throw new Error(`must be addresses: 0x and 40 hex digits, not "${text}"`)
  }
  return fromHex(text)!
}

function admins(text: string): ReadonlyMap<number, Uint8Array> {
  return new Map(
    list(text).map((entry) => {
      const [fid = '', key = '', ...rest] = entry.split('=')
      if (rest.length > 0) throw new Error(`must be fid=address pairs, not "${entry}"`)
      return [integer(fid, 1, 2 ** 32 - 1), address(key)]
    }),
  )
}

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Error(`must be a URL like https://registry.example.org, not "${text}"`)
  }
  return text.replace(/\/+$/, '')
}

/** As browsers write it, since that is what it is compared with. */
function webOrigin(text: string): string {
  if (text === '*' || (URL.canParse(text) && new URL(text).origin === text)) return text
  throw new Error(`must be * or an origin like https://app.example.org, not "${text}"`)
}

function addressRange(text: string): string {
  const [host = '', prefix, ...rest] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(host)] ?? 0
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  if (bits > 0 && isPrefix && rest.length === 0) return text
  throw new Error(`must be addresses and ranges like 10.0.0.0/8, not "${text}"`)
}

function databaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new Error('must be a URL like postgres://user:password@host:5432/name')
  }
  return text
}

function credentials(text: string): string {
  if (list(text).every((pair) => /^[^:]+:.+$/.test(pair))) return text
  throw new Error('must be user:password pairs, comma separated')
}

function httpUrls(text: string): string[] {
  const isHttp = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!list(text).every(isHttp)) throw new Error('must be http or https URLs, comma separated')
  return list(text)
}

type Contract = (typeof CONTRACTS)[number]

function contracts(text: string): { readonly [Name in Contract]?: `0x${string}` } {
  return Object.fromEntries(
    list(text).map((entry) => {
      const [, name = '', at = ''] = /^(\w+)=(0x[0-9a-fA-F]{40})$/.exec(entry) ?? []
      if (!(CONTRACTS as readonly string[]).includes(name)) {
        throw new Error(`must be name=address pairs with ${CONTRACTS.join(', ')}, not "${entry}"`)
      }
      return [name, at]
    }),
  )
}

function rpcUrls(text: string): Record<number, string> {
  return Object.fromEntries(
    list(text).map((entry) => {
      const [chain = '', ...rest] = entry.split('=')
      const url = rest.join('=')
      if (
        !/^\d+$/.test(chain) ||
        !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')
      ) {
        throw new Error('must be chainId=url pairs, comma separated, with http or https urls')
      }
      return [Number(chain), url]
    }),
  )
}
