import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { APP_SETTINGS } from './features/app-api/settings.ts'
import { BACKUP_SETTINGS } from './features/backups/settings.ts'
import { BADGE_SETTINGS } from './features/badges/settings.ts'
import { CHANNEL_SETTINGS } from './features/channels/settings.ts'
import { KEY_REQUEST_SETTINGS } from './features/key-requests/settings.ts'
import { MAIL_SETTINGS } from './features/mail/settings.ts'
import { MEDIA_SETTINGS } from './features/media/settings.ts'
import { MINI_APP_SETTINGS } from './features/mini-apps/settings.ts'
import { MIRROR_SETTINGS } from './features/mirror/settings.ts'
import { OPS_SETTINGS } from './features/operations/settings.ts'
import { PLATFORM_SETTINGS } from './features/platform/settings.ts'
import { RECOVERY_SETTINGS } from './features/recovery/settings.ts'
import { REGISTRY_SETTINGS } from './features/registry/settings.ts'
import { RELAY_SETTINGS } from './features/relay/settings.ts'
import { FACE_SETTINGS } from './features/server-face/settings.ts'
import { WEB_SETTINGS } from './features/web/settings.ts'
import { CHAIN_SETTINGS, LOCAL_CHAIN_SETTINGS } from './kernel/accounts/chain/settings.ts'
import { ACCOUNTS_SETTINGS } from './kernel/accounts/settings.ts'
import { WEB_KEY } from './kernel/app-api/given-keys.ts'
import { reachableHost } from './kernel/base/reachable-host.ts'
import {
  type Environment,
  type GivenSettings,
  givenText,
  type Mode,
  parseList,
  type Setting,
  type SettingGroup,
  type SettingValues,
  type ShownSetting,
} from './kernel/base/setting.ts'
import { GRPC_SETTINGS } from './kernel/grpc/settings.ts'
import { HTTP_SETTINGS } from './kernel/http/settings.ts'
import { HUB_SETTINGS } from './kernel/hub/settings.ts'
import { STORAGE_SETTINGS } from './kernel/storage/settings.ts'
import { VIEW_SETTINGS } from './kernel/views/settings.ts'
import { REMOVED_SETTINGS } from './removed-settings.ts'

export type { Mode } from './kernel/base/setting.ts'

/**
 * The settings of kernel and features, each declared in the settings.ts of its folder. A test holds that no feature's are
 * missing: its `feature.ts` is not read here, because commands need no tables.
 */
const GROUPS = [
  STORAGE_SETTINGS,
  HTTP_SETTINGS,
  HUB_SETTINGS,
  VIEW_SETTINGS,
  GRPC_SETTINGS,
  ACCOUNTS_SETTINGS,
  CHAIN_SETTINGS,
  RELAY_SETTINGS,
  REGISTRY_SETTINGS,
  PLATFORM_SETTINGS,
  CHANNEL_SETTINGS,
  BADGE_SETTINGS,
  MINI_APP_SETTINGS,
  KEY_REQUEST_SETTINGS,
  WEB_SETTINGS,
  FACE_SETTINGS,
  MEDIA_SETTINGS,
  APP_SETTINGS,
  MAIL_SETTINGS,
  RECOVERY_SETTINGS,
  OPS_SETTINGS,
  BACKUP_SETTINGS,
  MIRROR_SETTINGS,
  LOCAL_CHAIN_SETTINGS,
] as const

/** For docs/configuration.md. */
export const SETTING_GROUPS: readonly SettingGroup[] = GROUPS

type Group = (typeof GROUPS)[number]
type AllSettings = UnionToIntersection<Group['settings']>
type AllConstants = UnionToIntersection<
  Extract<Group, { readonly constants: unknown }>['constants']
>
type UnionToIntersection<U> = (U extends unknown ? (one: U) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

export type Config = {
  readonly mode: Mode
  /** Whether addresses of this machine are fetched, over http: in development alone. */
  readonly fetchLoopback: boolean
  /** Hash of what was set, secrets included, without the places of the data. */
  readonly settingsHash: string
  /** Where the settings come from, without secrets. */
  readonly shown: readonly ShownSetting[]
} & SettingValues<AllSettings> &
  AllConstants

/** All faults of the settings at once, one line each. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** What the commands that talk to a running server read: variable and meaning. */
export const CLIENT_SETTINGS = {
  hubUrl: ['ROOKERY_HUB_URL', 'Where the hub is; the local port unless given.'],
  registryUrl: ['ROOKERY_REGISTRY_URL', 'Where the name registry is; the local port.'],
  platformUrl: ['ROOKERY_PLATFORM_URL', 'Where the client platform is; the local port.'],
  accountsUrl: ['ROOKERY_ACCOUNTS_URL', 'Where the accounts interface is; the local port.'],
  appUrl: ['ROOKERY_APP_URL', 'Where the app API is; the local port.'],
  appKey: ['ROOKERY_APP_KEY', 'Key for the app API; that of the web client unless given.'],
  webUrl: ['ROOKERY_WEB_URL', 'Where the front door is; the local port.'],
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

/** The working directory when the user is unknown to the system, which happens in containers. */
function homeDirectory(): string {
  try {
    return homedir()
  } catch {
    return '.'
  }
}

/** The same environment as a server's, read by a command that talks to it. */
export function readClientConfig(env: Environment): ClientConfig {
  const given = (key: keyof typeof CLIENT_SETTINGS) => env[CLIENT_SETTINGS[key][0]]
  const { opsHost } = OPS_SETTINGS.settings
  const local = (port: Setting<number>, host: Setting<string> = HTTP_SETTINGS.settings.host) => {
    const textOf = ({ variable, defaults }: Setting<unknown>) =>
      env[variable] || defaults.development!
    return `http://${reachableHost(textOf(host))}:${textOf(port)}`
  }
  return {
    hubUrl: given('hubUrl') || local(HUB_SETTINGS.settings.hubPort),
    registryUrl: given('registryUrl') || local(REGISTRY_SETTINGS.settings.registryPort),
    platformUrl: given('platformUrl') || local(PLATFORM_SETTINGS.settings.platformPort),
    accountsUrl: given('accountsUrl') || local(ACCOUNTS_SETTINGS.settings.accountsPort),
    appUrl: given('appUrl') || local(APP_SETTINGS.settings.appPort),
    appKey: given('appKey') || WEB_KEY,
    webUrl: given('webUrl') || local(WEB_SETTINGS.settings.webPort),
    opsUrl: given('opsUrl') || local(OPS_SETTINGS.settings.opsPort, opsHost),
    keyFile: given('keyFile') || join(homeDirectory(), '.rookery', 'accounts.json'),
    network: env[STORAGE_SETTINGS.settings.network.variable] || undefined,
    auth: parseList(env[HUB_SETTINGS.settings.rpcAuth.variable] ?? '')[0],
    opsToken: env[OPS_SETTINGS.settings.opsToken.variable] || undefined,
  }
}

/**
 * Reads all settings from environment variables. Throws a ConfigError that names every fault, also
 * ROOKERY_ variables that are no setting.
 */
export function readConfig(env: Environment, mode: Mode): Config {
  const faults: string[] = []
  const values: Record<string, unknown> = {}
  const given: GivenSettings = {
    mode,
    values,
    isGiven: ({ variable }) => Boolean(env[variable]),
    textOf: (setting) => givenText(env, setting).text ?? setting.defaults[mode],
  }
  for (const [key, setting] of SETTINGS) {
    const text = given.textOf(setting)
    if (text === undefined) {
      if (setting.requiredIn === mode) {
        faults.push(`${setting.variable} is missing. ${setting.what}`)
      }
      continue
    }
    try {
      values[key] = setting.parse(text)
    } catch (error) {
      faults.push(`${setting.variable} ${(error as Error).message}`)
    }
  }
  faults.push(...unknownVariables(env))
  faults.push(...samePorts(values))
  faults.push(...missingPublicUrl(given))
  faults.push(...relayerOfMirror(given))
  for (const group of SETTING_GROUPS) faults.push(...(group.check?.(given) ?? []))
  if (faults.length > 0) throw new ConfigError(faults)
  values.shown = shownOf(env, mode)
  const constants = Object.assign({}, ...SETTING_GROUPS.map((group) => group.constants))
  const fetchLoopback = mode === 'development'
  return { mode, fetchLoopback, settingsHash: settingsHash(env), ...constants, ...values } as Config
}

const SETTINGS: readonly (readonly [string, Setting<unknown>])[] = SETTING_GROUPS.flatMap(
  ({ settings }) => Object.entries(settings),
)

/** Every setting with its text and where that comes from. */
const shownOf = (env: Environment, mode: Mode): ShownSetting[] =>
  SETTING_GROUPS.flatMap(({ title, settings }) =>
    Object.values(settings).map((setting: Setting<unknown>) => {
      const { variable, what, defaults, secret = false } = setting
      const given = givenText(env, setting)
      const text = given.text ?? defaults[mode]
      return {
        variable,
        group: title,
        what,
        source: given.text ? 'environment' : text ? 'default' : 'unset',
        isSecret: secret,
        isLocked: given.isLocked,
        ...(text && !secret && { value: text }),
      }
    }),
  )

/** A restore is into another place on purpose. */
const IS_PLACE = /^ROOKERY_DATA_DIR$|^ROOKERY_BACKUP_|^DATABASE_/

/** With it a restore notices that the backup was made under other settings. */
function settingsHash(env: Environment): string {
  const names = SETTINGS.map(([, { variable }]) => variable)
  const given = names.filter((name) => env[name] && !IS_PLACE.test(name)).sort()
  return createHash('sha256')
    .update(given.map((name) => `${name}=${env[name]}\n`).join(''))
    .digest('hex')
}

function unknownVariables(env: Environment): string[] {
  const known = new Set<string>([
    ...SETTINGS.map(([, { variable }]) => variable),
    ...Object.values(CLIENT_SETTINGS).map(([variable]) => variable),
  ])
  return Object.keys(env)
    .filter((name) => name.startsWith('ROOKERY_') && !known.has(name))
    .map((name) =>
      Object.hasOwn(REMOVED_SETTINGS, name)
        ? `${name} is no setting any more: ${REMOVED_SETTINGS[name]}. Remove it`
        : `${name} is not a setting (see docs/configuration.md)`,
    )
}

/** Channels and casts keep their addresses for good, so production does not begin with those of another site. */
function missingPublicUrl({ mode, isGiven, values }: GivenSettings): string[] {
  const { publicUrl, links } = HTTP_SETTINGS.settings
  if (mode === 'development' || isGiven(publicUrl) || values.links === 'deployed') return []
  return [
    `${publicUrl.variable} is missing. Where browsers find the front door, such as https://social.example.org, or http://127.0.0.1:2290 for a trial on this machine. New channels and links to casts get addresses below it; channels that exist keep theirs. For those of the deployed client set ${links.variable}=deployed instead`,
  ]
}

/** It would make the mirror another network than its source. */
function relayerOfMirror({ isGiven }: GivenSettings): string[] {
  const { relayerKey } = RELAY_SETTINGS.settings
  const { mirrorUrls } = MIRROR_SETTINGS.settings
  if (!isGiven(relayerKey) || !isGiven(mirrorUrls)) return []
  return [
    `${relayerKey.variable} is not for a mirror, which ${mirrorUrls.variable} makes of this server`,
  ]
}

function samePorts(values: Readonly<Record<string, unknown>>): string[] {
  const taken = new Map<unknown, string>()
  return SETTINGS.flatMap(([key, { variable, isPort }]) => {
    const port = values[key]
    if (!isPort || port === 0 || port === undefined) return []
    const other = taken.get(port)
    taken.set(port, variable)
    return other ? [`${variable} and ${other} are both ${port}`] : []
  })
}
