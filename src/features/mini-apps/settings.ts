import {
  type GivenSettings,
  type Mode,
  optionalSetting,
  parseChoice,
  parseList,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

/** `listed`: those that the operator adds; `signed`: also those that their authors list; `any`: unsigned and local ones too. */
export const MINI_APP_MODES = {
  off: 'off',
  listed: 'listed',
  signed: 'signed',
  any: 'any',
} as const
export type MiniAppMode = keyof typeof MINI_APP_MODES

const CHAIN = /^eip155:[1-9]\d{0,15}$/
/** As many as published manifests may name, and more. */
const MAX_CHAINS = 32

const settings = {
  miniApps: setting<MiniAppMode>({
    variable: 'ROOKERY_MINI_APPS',
    what: 'Which mini apps run here. off: none, and neither snaps nor polls; listed: those that the operator adds; signed: an author lists an app whose domain its account has signed; any: all, for development. Production without ROOKERY_PUBLIC_URL has no mini apps.',
    defaults: { development: 'any', production: 'signed' },
    parse: (text) => parseChoice<MiniAppMode>(text, MINI_APP_MODES),
  }),
  miniAppChains: optionalSetting({
    variable: 'ROOKERY_MINI_APP_CHAINS',
    what: 'The chains on which mini apps may use the wallet of a user, such as eip155:10,eip155:8453. "none": no wallet. Unless given, the chain of the accounts, and none for accounts of this server in production.',
    defaults: { development: 'eip155:10' },
    parse: parseChains,
  }),
}

export const MINI_APP_SETTINGS = {
  title: 'Mini apps',
  settings,
  check,
} satisfies SettingGroup

export type MiniAppConfig = SettingValues<typeof settings>

/** What an operator decides about mini apps. */
export type MiniAppSettings = {
  readonly mode: MiniAppMode
  /** CAIP-2 ids of the chains on which mini apps may use a wallet. */
  readonly chains: readonly string[]
  /** Lets manifests be fetched from this machine, over http too, and webhooks be called there: for development. */
  readonly fetchLoopback: boolean
}

function parseChains(text: string): string[] {
  const chains = text === 'none' ? [] : parseList(text)
  if (chains.length > MAX_CHAINS || !chains.every((chain) => CHAIN.test(chain))) {
    throw new Error(`must be at most ${MAX_CHAINS} chains such as eip155:10, or none`)
  }
  return chains
}

function check({ mode, values }: GivenSettings): string[] {
  const { variable } = settings.miniApps
  return mode === 'production' && values.miniApps === 'any'
    ? [`${variable}=any is for development: in production anybody could list any page`]
    : []
}

/** What an operator has decided about mini apps. Unless chains are named, a wallet has the chain of the accounts. */
export const miniAppSettingsOf = (
  config: MiniAppConfig & PublicUrl & { readonly fetchLoopback: boolean },
  mode: Mode,
  chainOfAccounts: number | undefined,
): MiniAppSettings => ({
  mode: hasMiniApps(config, mode) ? config.miniApps : 'off',
  chains: config.miniAppChains ?? (chainOfAccounts ? [`eip155:${chainOfAccounts}`] : []),
  fetchLoopback: config.fetchLoopback,
})

type PublicUrl = { readonly publicUrl: string | undefined }

/** Notifications and sign-ins name the public URL, so production without it has no mini apps. */
const hasMiniApps = ({ publicUrl }: PublicUrl, mode: Mode): boolean =>
  mode === 'development' || publicUrl !== undefined
