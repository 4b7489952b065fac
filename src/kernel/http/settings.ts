import { isIP } from 'node:net'
import {
  inBothModes,
  optionalSetting,
  parseChoice,
  parseHttpUrl,
  parseInteger,
  parseList,
  parseNonEmpty,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../base/setting.ts'

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

const settings = {
  host: setting({
    variable: 'ROOKERY_HOST',
    what: 'Address the public interfaces listen on; 0.0.0.0 for all of the machine.',
    defaults: inBothModes('127.0.0.1'),
    parse: parseNonEmpty,
  }),
  publicUrl: optionalSetting({
    variable: 'ROOKERY_PUBLIC_URL',
    what: 'Where browsers find the front door, such as https://social.example.org. Links and the urls of new channels begin with it. Required in production, unless ROOKERY_LINKS=deployed.',
    parse: parseHttpUrl,
  }),
  links: setting({
    variable: 'ROOKERY_LINKS',
    what: 'own: urls of new channels and links to casts that are not stored begin with ROOKERY_PUBLIC_URL, or in development without one as deployed. deployed: as those of the deployed client (https://farcaster.xyz/~/), which --as-deployed sets.',
    defaults: inBothModes('own'),
    parse: (text) => parseChoice(text, { own: 'own', deployed: 'deployed' } as const),
  }),
  corsOrigin: setting({
    variable: 'ROOKERY_CORS_ORIGIN',
    what: 'The one web origin that may read answers, or * for any.',
    defaults: inBothModes('*'),
    parse: parseOrigin,
  }),
  trustedProxies: setting({
    variable: 'ROOKERY_TRUSTED_PROXIES',
    what: 'Addresses and CIDR ranges, comma separated, whose X-Forwarded-For is believed.',
    defaults: inBothModes(''),
    parse: (text) => parseList(text).map(parseAddressRange),
  }),
  clientCpuPercent: setting({
    variable: 'ROOKERY_CLIENT_CPU_PERCENT',
    what: 'CPU time that the requests of one address may cost, in percent of one core, over a minute; as much again those in the name of one account or API key, from whatever addresses they come.',
    defaults: inBothModes('50'),
    parse: (text) => parseInteger(text, 1, 1_000_000),
  }),
  totalCpuPercent: setting({
    variable: 'ROOKERY_TOTAL_CPU_PERCENT',
    what: 'The most for all addresses together; beyond it requests are answered 503. In production it is less while the server is overloaded.',
    defaults: inBothModes('1000'),
    parse: (text) => parseInteger(text, 1, 1_000_000),
  }),
  logLevel: setting({
    variable: 'ROOKERY_LOG_LEVEL',
    what: `Least important log entries to write: ${LEVELS.join(', ')}.`,
    defaults: { development: 'warn', production: 'info' },
    parse: (text) => parseChoice(text, Object.fromEntries(LEVELS.map((level) => [level, level]))),
  }),
}

export const HTTP_SETTINGS = {
  title: 'All interfaces',
  settings,
} satisfies SettingGroup

export type HttpConfig = SettingValues<typeof settings>

/** As browsers send it, because it is compared with that. */
function parseOrigin(text: string): string {
  if (text === '*' || (URL.canParse(text) && new URL(text).origin === text)) return text
  throw new Error(`must be * or an origin like https://app.example.org, not "${text}"`)
}

function parseAddressRange(text: string): string {
  const [host = '', prefix, ...rest] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(host)] ?? 0
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  if (bits > 0 && isPrefix && rest.length === 0) return text
  throw new Error(`must be addresses and ranges like 10.0.0.0/8, not "${text}"`)
}
