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
