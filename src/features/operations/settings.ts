import { isIPv4 } from 'node:net'
import {
  type GivenSettings,
  inBothModes,
  optionalSetting,
  parseList,
  parseMatching,
  parseNonEmpty,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'

const settings = {
  opsHost: setting({
    variable: 'ROOKERY_OPS_HOST',
    what: 'Address that operations listen on. Any other than loopback needs production and ROOKERY_OPS_TOKEN. Never one that the internet reaches.',
    defaults: inBothModes('127.0.0.1'),
    parse: parseNonEmpty,
  }),
  opsPort: portSetting('ROOKERY_OPS_PORT', 'operations', 2280),
  opsToken: optionalSetting({
    variable: 'ROOKERY_OPS_TOKEN',
    what: 'Token that operator calls and metrics ask for. Operator calls are off in production without one.',
    parse: parseToken,
    secret: true,
  }),
  opsHosts: setting({
    variable: 'ROOKERY_OPS_HOSTS',
    what: 'Names, comma separated, that requests to operations may have as their Host besides localhost and IP addresses.',
    defaults: inBothModes(''),
    parse: (text) => parseList(text).map(parseHostName),
  }),
}

export const OPS_SETTINGS = {
  title: 'Operations',
  settings,
  check,
} satisfies SettingGroup

export type OpsConfig = SettingValues<typeof settings>

/** What other machines may reach needs a token, and the helpers of a development network ask for none. */
function check({ mode, isGiven, textOf }: GivenSettings): string[] {
  const { opsHost, opsToken } = settings
  if (isLoopback(textOf(opsHost)!)) return []
  if (mode === 'development') return [`${opsHost.variable} must be loopback in development`]
  if (isGiven(opsToken)) return []
  return [
    `${opsHost.variable} is an address that other machines may reach: set ${opsToken.variable}, too`,
  ]
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Compared with the Host of requests without its port, in lower case. */
const parseHostName = (text: string): string =>
  parseMatching(text, /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, 'a host name in lower case')

const MIN_TOKEN_CHARACTERS = 16

/** It is sent as a bearer token, which may hold only these characters. The message does not show it. */
function parseToken(text: string): string {
  if (text.length < MIN_TOKEN_CHARACTERS) {
    throw new Error(`must have at least ${MIN_TOKEN_CHARACTERS} characters`)
  }
  if (!/^[!-~]+$/.test(text)) {
    throw new Error(
      'must have no spaces, line ends or letters outside of ASCII: it is sent in a header (openssl rand -hex 24 makes one)',
    )
  }
  return text
}
