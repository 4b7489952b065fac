import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseAddress,
  parseChoice,
  parseHttpUrl,
  parseInteger,
  parseList,
  parseMatching,
  parsePrivateKey,
  portSetting,
  requireSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import {
  isTestAddress,
  isTestKey,
  TEST_ADDRESS,
  TEST_KEY,
} from '../../kernel/protocol/crypto/test-keys.ts'
import { FNAME_PATTERN } from '../../kernel/protocol/names.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'

/** What a UserNameProof is accepted for. */
export type ClaimsPolicy = 'all' | 'registrations'

/** The administrator fid of the deployed registry. */
const DEPLOYED_ADMIN_FID = 14045
const RESERVED_NAMES =
  'abuse,account,admin,administrator,custody,fnames,help,hostmaster,hub,mod,moderation,moderator,mods,official,operator,owner,password,postmaster,recover,recovery,registry,rookery,root,security,service,staff,support,system,verify,webmaster,www'
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

const settings = {
  registryPort: portSetting('ROOKERY_REGISTRY_PORT', 'the name registry', 2285),
  registryUrl: optionalSetting({
    variable: 'ROOKERY_REGISTRY_URL',
    what: 'Another name registry, whose names the hub takes; this server then has none of its own.',
    parse: parseHttpUrl,
  }),
  registrySigners: setting({
    variable: 'ROOKERY_REGISTRY_SIGNERS',
    what: 'Addresses, comma separated, that may sign the transfers of that registry. Unless given, the signer that it publishes.',
    defaults: inBothModes(''),
    parse: (text) => parseList(text).map(parseAddress),
  }),
  registryKey: optionalSetting({
    variable: 'ROOKERY_REGISTRY_KEY',
    what: 'Private key that signs names: 0x and 64 hex digits. In production without one, registry.key in the data directory, made on the first start.',
    defaults: { development: TEST_KEY },
    parse: parsePrivateKey,
    secret: true,
  }),
  registryAdmins: setting({
    variable: 'ROOKERY_REGISTRY_ADMINS',
    what: 'Who may act for the registry: fid=address, comma separated.',
    defaults: { development: `${DEPLOYED_ADMIN_FID}=${TEST_ADDRESS}`, production: '' },
    parse: parseAdmins,
  }),
  reservedNames: setting({
    variable: 'ROOKERY_RESERVED_NAMES',
    what: 'Names, comma separated, that only administrators give away, with their look-alikes (docs/registry.md).',
    defaults: inBothModes(RESERVED_NAMES),
    parse: (text) => parseList(text).map((name) => parseMatching(name, FNAME_PATTERN, 'names')),
  }),
  registryClaims: setting({
    variable: 'ROOKERY_REGISTRY_CLAIMS',
    what: 'What a UserNameProof, which names neither receiver nor network, is accepted for: `all` changes of names, or `registrations` alone, so that transfers and releases need a NameTransfer.',
    defaults: inBothModes('all'),
    parse: (text): ClaimsPolicy =>
      parseChoice(text, { all: 'all', registrations: 'registrations' }),
  }),
  nameChangeDays: setting({
    variable: 'ROOKERY_NAME_CHANGE_DAYS',
    what: 'Days until a name whose owner changed may change owners again. On the day of its first name a fid may release up to three; they stay locked.',
    defaults: inBothModes('28'),
    parse: (text) => parseInteger(text, 0, 3_650),
  }),
  registryLimit: setting({
    variable: 'ROOKERY_REGISTRY_LIMIT',
    what: 'Requests to change names a minute from one address.',
    defaults: inBothModes('120'),
    parse: (text) => parseInteger(text, 1, 1e9),
  }),
  ensDomains: setting({
    variable: 'ROOKERY_ENS_DOMAINS',
    what: 'Domains under which names resolve in ENS, each with the address of its resolver contract, as domain=address, comma separated.',
    defaults: inBothModes('fcast.id=0x145b9934B42F214C101De04b6115285959BDD4F5'),
    parse: parseResolvers,
  }),
}

const constants = {
  /** After a fid has registered its first name it may change that: time to notice a typing error. */
  nameUndoSeconds: DAY_SECONDS,
  /** Changes of names a minute that one fid may make, and all together. Development runs many accounts in a loop. */
  nameChanges: {
    development: { perFid: 6_000, total: 600_000 },
    production: { perFid: 60, total: 6_000 },
  },
}

export const REGISTRY_SETTINGS = {
  title: 'Name registry',
  settings,
  constants,
  check,
} satisfies SettingGroup

export type RegistryConfig = SettingValues<typeof settings> & typeof constants

function check(given: GivenSettings): string[] {
  const { registryUrl, registryKey, registrySigners } = settings
  const [url, key] = [registryUrl.variable, registryKey.variable]
  return [
    ...(given.isGiven(registryUrl) && given.isGiven(registryKey)
      ? [`${url} and ${key} contradict each other: names come from there or from here`]
      : []),
    ...requireSetting(given, registryUrl, [registrySigners]),
    ...(given.mode === 'production' ? testKeyFaults(given.values) : []),
  ]
}

/** These keys are public, so that everyone could sign names with them. */
function testKeyFaults(values: GivenSettings['values']): string[] {
  const { registryKey, registryAdmins, registrySigners } = values as Partial<RegistryConfig>
  const admins = [...(registryAdmins?.values() ?? [])]
  return [
    ...(registryKey && isTestKey(registryKey) ? [settings.registryKey] : []),
    ...(admins.some(isTestAddress) ? [settings.registryAdmins] : []),
    ...(registrySigners?.some(isTestAddress) ? [settings.registrySigners] : []),
  ].map(({ variable }) => `${variable} has a key of the public test phrase, which everybody knows`)
}

function parseAdmins(text: string): ReadonlyMap<number, Uint8Array> {
  return new Map(
    parseList(text).map((entry) => {
      const [fid = '', key = '', ...rest] = entry.split('=')
      if (rest.length > 0) throw new Error(`must be fid=address pairs, not "${entry}"`)
      return [parseInteger(fid, 1, 2 ** 32 - 1), parseAddress(key)]
    }),
  )
}

function parseResolvers(text: string): ReadonlyMap<string, Uint8Array> {
  return new Map(
    parseList(text).map((entry) => {
      const [domain = '', resolver = '', ...rest] = entry.split('=')
      if (rest.length > 0) throw new Error(`must be domain=address pairs, not "${entry}"`)
      return [parseMatching(domain, DOMAIN, 'domain names'), parseAddress(resolver)]
    }),
  )
}

/** A name may change owners once in 28 days, as at the deployed registry. */
export const NAME_CHANGE_INTERVAL_SECONDS = 28 * DAY_SECONDS
/** How far a claim's timestamp may differ from the clock, because clocks are wrong and signing takes time. */
export const CLOCK_TOLERANCE_SECONDS = 600
/** Rows on a page of the history. */
export const TRANSFERS_PER_PAGE = 100
/**
 * Transfers with one timestamp; the next has to be signed for another second. A page by time does not
 * end within a second, so this bounds it.
 */
export const MAX_TRANSFERS_PER_TIMESTAMP = 10_000
/** A request has seven short fields. */
export const MAX_BODY_BYTES = 100 * 1024

/** What an operator decides about a registry. */
export type RegistrySettings = {
  /** 32 bytes: signs every transfer. */
  readonly serverKey: Uint8Array
  readonly intervals: NameIntervals
  readonly claims: ClaimsPolicy
  /** Names that only administrators may assign, with their look-alikes. */
  readonly reservedNames: readonly string[]
  /** Administrator fids, each with the 20-byte address that signs for it. */
  readonly admins: ReadonlyMap<number, Uint8Array>
  /**
   * By domain under which names resolve in ENS ("fcast.id" for alice.fcast.id): its resolver contract (20 bytes), for
   * which the gateway signs.
   */
  readonly resolvers: ReadonlyMap<string, Uint8Array>
  /** Accepted changes per minute. */
  readonly limits: { readonly perFid: number; readonly total: number }
}

/** How long names are locked, in seconds. */
export type NameIntervals = {
  /** Between two transfers of a name. */
  readonly change: number
  /** After the first registration of a fid: it may release its name a few times. */
  readonly undo: number
}
