import {
  type GivenSettings,
  optionalSetting,
  parseInteger,
  portSetting,
  type SettingGroup,
  type SettingValues,
  setting,
} from '../../kernel/base/setting.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'

const MAX_LIMIT = 1_000_000_000

const settings = {
  appPort: portSetting('ROOKERY_APP_PORT', 'the app API', 2288),
  appLimit: setting({
    variable: 'ROOKERY_APP_LIMIT',
    what: 'Reads a minute that one key may send to one process. A fifth as many may be searches, suggestions and conversations; a tenth as many writes come on top.',
    defaults: { development: '600000', production: '6000' },
    parse: (text) => parseInteger(text, 10, MAX_LIMIT),
  }),
  signerSecret: optionalSetting({
    variable: 'ROOKERY_SIGNER_SECRET',
    what: 'Encrypts the secrets of signers and webhooks: 0x and 64 hex digits. Without it, signer.key in the data directory, made when it is first needed. Required in production with PostgreSQL, where every process needs the same.',
    parse: parseSecret,
    secret: true,
  }),
}

/** As the deployed client calls them. */
const DEPLOYED_URL_BASE = 'https://farcaster.xyz/~/conversations/'

/** What the url of a cast that is not stored begins with. The front door serves the page of a cast there. */
export const castUrlBaseOf = ({
  publicUrl,
  links,
}: Pick<HttpConfig, 'publicUrl' | 'links'>): string =>
  links === 'own' && publicUrl ? `${publicUrl}/cast/` : DEPLOYED_URL_BASE

export const APP_SETTINGS = {
  title: 'App API',
  settings,
  check,
} satisfies SettingGroup

export type AppConfig = SettingValues<typeof settings>

const SECRET_BYTES = 32

/** The message does not show the text. */
function parseSecret(text: string): Uint8Array {
  const secret = /^0x/i.test(text) ? fromHex(text) : undefined
  if (secret?.length !== SECRET_BYTES) throw new Error('must be 0x and 64 hex digits')
  return secret
}

/** Processes on several machines have no data directory in common. */
function check({ mode, isGiven, values }: GivenSettings): string[] {
  const { variable } = settings.signerSecret
  const isNeeded =
    mode === 'production' && values.databaseUrl !== undefined && values.views !== false
  if (!isNeeded || isGiven(settings.signerSecret)) return []
  return [
    `${variable} is required with DATABASE_URL: 0x and 64 hex digits, the same in every process`,
  ]
}
