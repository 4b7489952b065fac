import {
  inBothModes,
  optionalSetting,
  parseHttpUrl,
  parseInteger,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import type { BadgeSettings } from '../badges/settings.ts'
import type { MiniAppMode } from '../mini-apps/settings.ts'

const settings = {
  platformPort: portSetting('ROOKERY_PLATFORM_PORT', 'the client platform', 2286),
  platformPublicUrl: optionalSetting({
    variable: 'ROOKERY_PLATFORM_PUBLIC_URL',
    what: 'Where browsers find the client platform; /platform below ROOKERY_PUBLIC_URL, or where it listens, unless given.',
    parse: parseHttpUrl,
  }),
  platformLimit: setting({
    variable: 'ROOKERY_PLATFORM_LIMIT',
    what: 'Requests to the client platform in ten seconds from one address.',
    defaults: inBothModes('2500'),
    parse: (text) => parseInteger(text, 1, 1e9),
  }),
  tokenLifetimeSeconds: setting({
    variable: 'ROOKERY_TOKEN_LIFETIME_SECONDS',
    what: 'How far ahead the token of an app may expire.',
    defaults: inBothModes('3600'),
    parse: (text) => parseInteger(text, 60, 365 * 24 * 3_600),
  }),
}

export const PLATFORM_SETTINGS = {
  title: 'Client platform',
  settings,
} satisfies SettingGroup

export type PlatformConfig = SettingValues<typeof settings>

/** What an operator decides about a client platform. */
export type PlatformSettings = {
  /** How far ahead an app's token may expire. */
  readonly tokenLifetimeSeconds: number
  /** Prefix of the default url of a new channel, followed by its id. */
  readonly channelUrlBase: string
  /** How many channels one fid may create. */
  readonly channelsPerFid: number
  /** How many channels all users together may create. */
  readonly maxChannels: number
  /** `scheme://signed-key-request?token=...` opens a request in the user's wallet. */
  readonly appScheme: string
  /** The public URL of this interface, without a slash at its end; undefined: its own address. */
  readonly publicUrl: string | undefined
  readonly badges: BadgeSettings
  /** Refuses key requests that no sponsor pays for. */
  readonly requireSponsor: boolean
  /** Lets documents of actions and mini apps be fetched from this machine, over http too: for development. */
  readonly fetchLoopback: boolean
  readonly miniApps: {
    readonly mode: MiniAppMode
    /** CAIP-2 ids of the chains on which mini apps may use a wallet. */
    readonly chains: readonly string[]
  }
}
