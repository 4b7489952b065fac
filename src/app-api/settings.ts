import {
  inBothModes,
  isHttpUrl,
  parseInteger,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../setting.ts'

const MAX_LIMIT = 1_000_000_000

const limitSetting = (
  variable: string,
  what: string,
  [development, production]: [number, number],
) =>
  setting({
    variable,
    what: `${what} a minute that one key may send to one process.`,
    defaults: { development: String(development), production: String(production) },
    parse: (text) => parseInteger(text, 1, MAX_LIMIT),
  })

const settings = {
  appPort: portSetting('ROOKERY_APP_PORT', 'the app API', 2288),
  appLimit: limitSetting('ROOKERY_APP_LIMIT', 'Reads', [600_000, 6_000]),
  appWriteLimit: limitSetting('ROOKERY_APP_WRITE_LIMIT', 'Writes', [60_000, 600]),
  appSearchLimit: limitSetting(
    'ROOKERY_APP_SEARCH_LIMIT',
    'Searches, suggestions and conversations',
    [120_000, 1_200],
  ),
  castUrlBase: setting({
    variable: 'ROOKERY_CAST_URL_BASE',
    what: 'Where people read casts: the url of a quoted cast that is not stored is this and its hash.',
    defaults: inBothModes('https://farcaster.xyz/~/conversations/'),
    parse: parseUrlBase,
  }),
}

export const APP_SETTINGS = {
  title: 'App API',
  settings,
} satisfies SettingGroup

export type AppConfig = SettingValues<typeof settings>

function parseUrlBase(text: string): string {
  if (isHttpUrl(text)) return text
  throw new Error(`must be a URL like https://example.org/casts/, not "${text}"`)
}
