import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseChoice,
  parseInteger,
  parseList,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'
import {
  type AccountContracts,
  type AccountDomains,
  accountDomains,
  DEPLOYED_CHAIN_ID,
  DEPLOYED_CONTRACTS,
  type TypedDataDomain,
} from '../protocol/crypto/account-domains.ts'
import { CHAIN_SETTINGS, type ChainConfig, parseContracts } from './chain/settings.ts'

const LEDGER_CONTRACTS = Object.keys(DEPLOYED_CONTRACTS) as (keyof AccountContracts)[]

/** Who may register at the ledger. */
const SIGNUP_MODES = {
  open: 'open',
  invite: 'invite',
  approval: 'approval',
  closed: 'closed',
} as const
export type SignupMode = keyof typeof SIGNUP_MODES

const INVITE_CODE = /^[1-9A-HJ-NP-Za-km-z]{20,30}$/
/** A hundred years would be beyond the 32 bits of the expiry in rent events. */
const MAX_STORAGE_DAYS = 50 * 365

const settings = {
  accountsPort: portSetting('ROOKERY_ACCOUNTS_PORT', 'the accounts interface', 2287),
  accountsLimit: setting({
    variable: 'ROOKERY_ACCOUNTS_LIMIT',
    what: 'Account calls a minute from one address.',
    defaults: inBothModes('600'),
    parse: (text) => parseInteger(text, 1, 1e9),
  }),
  signupUnits: setting({
    variable: 'ROOKERY_SIGNUP_UNITS',
    what: 'Storage units that come with a new fid.',
    defaults: inBothModes('20'),
    parse: (text) => parseInteger(text, 0, 10_000),
  }),
  storageGrows: setting({
    variable: 'ROOKERY_STORAGE_GROWS',
    what: 'on: storage of a fid of the ledger grows when it is full, so that no message is removed by count. off: the oldest give way, as on the deployed network; chains and mirrors always do as the network does.',
    defaults: inBothModes('on'),
    parse: (text) => parseChoice(text, { on: true, off: false }),
  }),
  storageDays: optionalSetting({
    variable: 'ROOKERY_STORAGE_DAYS',
    what: 'Days until the storage units that the ledger gives from now on end. Unless given, storage does not end (docs/accounts.md).',
    parse: (text) => parseInteger(text, 1, MAX_STORAGE_DAYS),
  }),
  confirmationMs: setting({
    variable: 'ROOKERY_CONFIRMATION_MS',
    what: 'How long the ledger lets an accepted call wait before it counts, in milliseconds.',
    defaults: { development: '0', production: '2000' },
    parse: (text) => parseInteger(text, 0, 3_600_000),
  }),
  signup: setting({
    variable: 'ROOKERY_SIGNUP',
    what: 'Who may register at the ledger: open (anyone), invite (with a code from rookery invite create), approval (whom a moderator lets in, and holders of a code) or closed (no one).',
    defaults: { development: 'open', production: 'invite' },
    parse: (text) => parseChoice(text, SIGNUP_MODES),
    live: {
      title: 'Who may join',
      help: 'Invites hold unless nobody may join. Who asks to be let in waits under “Requests to join”.',
      choices: {
        open: 'anybody',
        invite: 'who has an invite',
        approval: 'whom you let in, or by invite',
        closed: 'nobody',
      },
    },
  }),
  firstInvite: optionalSetting({
    variable: 'ROOKERY_FIRST_INVITE',
    what: 'Code with which the first person joins, and becomes operator: an invite of one use, stored at a start while there is no account, that counts for 14 days until it is used. rookery init writes one.',
    parse: parseInviteCode,
    secret: true,
  }),
  memberInvites: setting({
    variable: 'ROOKERY_MEMBER_INVITES',
    what: 'Invites that each member may make in 30 days, each for one person; 0: none.',
    defaults: inBothModes('0'),
    parse: (text) => parseInteger(text, 0, 1_000),
    live: {
      title: 'Invites of each member',
      help: 'Each is for one person, within a fortnight.',
      unit: 'in 30 days',
      off: '0',
      proposed: '2',
    },
  }),
  ledgerChainId: optionalSetting({
    variable: 'ROOKERY_LEDGER_CHAIN_ID',
    what: 'Chain id in what users sign for the ledger. Unless given, 1 in production (data of earlier versions keep theirs; docs/accounts.md), and the deployed one in development.',
    parse: (text) => parseInteger(text, 1, 2 ** 32 - 1),
  }),
  ledgerContracts: setting({
    variable: 'ROOKERY_LEDGER_CONTRACTS',
    what: `Contract addresses in what users sign for the ledger, as name=address, comma separated: ${LEDGER_CONTRACTS.join(', ')}. Those not given are generated at the first start.`,
    defaults: inBothModes(''),
    parse: (text) => parseContracts(text, LEDGER_CONTRACTS),
  }),
  ethRpcUrls: setting({
    variable: 'ROOKERY_ETH_RPC_URLS',
    what: 'JSON-RPC addresses as chainId=url, comma separated (1 for ENS, 8453 for base names, 1 and 10 for contract wallets).',
    defaults: inBothModes(''),
    parse: parseRpcUrls,
    secret: true,
  }),
}

const constants = {
  /** RPC requests to chains that all clients may cause in a minute; one client a tenth of them. Plans of nodes that cost nothing allow as many. */
  rpcBudget: 600,
}

export const ACCOUNTS_SETTINGS = {
  title: 'Accounts',
  settings,
  constants,
  check,
} satisfies SettingGroup

/** The ledger and a chain exclude each other. */
function check({ isGiven }: GivenSettings): string[] {
  const { chainRpcUrls } = CHAIN_SETTINGS.settings
  if (!isGiven(chainRpcUrls)) return []
  const { confirmationMs, signupUnits, signup, ledgerChainId, ledgerContracts } = settings
  const { storageDays, memberInvites, firstInvite } = settings
  return [
    confirmationMs,
    signupUnits,
    storageDays,
    signup,
    firstInvite,
    memberInvites,
    ledgerChainId,
    ledgerContracts,
  ]
    .filter(isGiven)
    .map(({ variable }) => `${variable} is of the ledger, which ${chainRpcUrls.variable} replaces`)
}

export type AccountsConfig = SettingValues<typeof settings> & typeof constants

/** The settings that say whether storage ends. */
export type StorageEndConfig = Pick<AccountsConfig, 'storageDays'> &
  Pick<ChainConfig, 'chainRpcUrls'>

/** On a chain storage ends by the rules of the deployed network; on a ledger only if the operator says so. */
export const storageEnds = ({ storageDays, chainRpcUrls }: StorageEndConfig): boolean =>
  chainRpcUrls.length > 0 || storageDays !== undefined

export type StorageGrowthConfig = Pick<AccountsConfig, 'storageGrows'> &
  Pick<ChainConfig, 'chainRpcUrls'> & {
    readonly mirrorUrls: readonly unknown[]
    readonly mirrorEnded: boolean
  }

/** Whether storage grows: only the ledger of this server gives units. */
export const storageGrows = (config: StorageGrowthConfig): boolean =>
  config.storageGrows &&
  config.chainRpcUrls.length === 0 &&
  config.mirrorUrls.length === 0 &&
  !config.mirrorEnded

function parseInviteCode(text: string): string {
  if (!INVITE_CODE.test(text)) throw new Error('must be a code of 20 to 30 characters of base58')
  return text
}

function parseRpcUrls(text: string): Record<number, string> {
  return Object.fromEntries(
    parseList(text).map((entry) => {
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

export type LedgerSettings = {
  /** In every event and, unless `domains` says otherwise, in every signature. */
  readonly chainId: number
  readonly domains: AccountDomains
  /** The domains that an app may sign its request for a key in. */
  readonly keyRequestDomains: readonly TypedDataDomain[]
  /** The number of the messages' network (1 is mainnet); unit kinds change at its dates. */
  readonly network: number
  /** Units that come with a fid. */
  readonly signupUnits: number
  /** Days until units that are rented now end; undefined: storage does not end. */
  readonly storageDays: number | undefined
  /** Units beyond `signupUnits` that a registration may ask for. */
  readonly maxExtraUnits: number
  /** Units a fid may hold at one time; more are refused, because storage is free here. */
  readonly maxUnitsPerFid: number
  /** Keys a fid may have at one time. */
  readonly maxKeysPerFid: number
  /** Confirmation time of accepted calls; 0 confirms at once. */
  readonly confirmationMs: number
  /** Unconfirmed events; further calls are refused. Each call reads all of them. */
  readonly maxPendingEvents: number
}

const DEFAULTS = {
  chainId: DEPLOYED_CHAIN_ID,
  network: 1,
  signupUnits: 20,
  storageDays: undefined,
  maxExtraUnits: 1_000,
  maxUnitsPerFid: 1_000,
  maxKeysPerFid: 1_000,
  confirmationMs: 0,
  maxPendingEvents: 2_000,
}

/** The settings with defaults: as deployed or, where the contracts have no limit, generous. */
export function ledgerSettings(given: Partial<LedgerSettings> = {}): LedgerSettings {
  const settings = { ...DEFAULTS, ...given }
  const domains = given.domains ?? accountDomains({ chainId: settings.chainId })
  return { keyRequestDomains: [domains.signedKeyRequestValidator], ...settings, domains }
}

/** The deployed StorageRegistry: the payer in rent events, because storage is free here. */
export const STORAGE_REGISTRY = '0x00000000fcCe7f938e7aE6D3c335bD6a1a7c593D'

/** Keys that one call may add: each costs two signature checks. */
export const MAX_KEYS_PER_CALL = 16
