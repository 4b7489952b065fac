import {
  type GivenSettings,
  optionalSetting,
  type SettingGroup,
  type SettingValues,
} from '../../kernel/base/setting.ts'
import { HTTP_SETTINGS } from '../../kernel/http/settings.ts'
import { parseMailAddress } from '../../kernel/protocol/mail-address.ts'

const settings = {
  smtp: optionalSetting({
    variable: 'ROOKERY_SMTP_URL',
    what: 'Server that takes the e-mail of this one, such as smtps://USER:PASSWORD@smtp.example.org:465?from=rookery@example.org; smtp:// begins without TLS on port 587 and must get it (STARTTLS), except on this machine or with &tls=off. In USER and PASSWORD write what is neither letter nor digit in percent encoding. Without it, the mail server that is set up in the room of the operator is used (docs/mail.md).',
    parse: parseSmtpUrl,
    secret: true,
  }),
}

export const MAIL_SETTINGS = {
  title: 'E-mail',
  settings,
  check,
} satisfies SettingGroup

export type MailConfig = SettingValues<typeof settings>

/** Mails have links. */
function check({ isGiven }: GivenSettings): string[] {
  const { publicUrl } = HTTP_SETTINGS.settings
  if (!isGiven(settings.smtp) || isGiven(publicUrl)) return []
  return [`${settings.smtp.variable} needs ${publicUrl.variable}, with which links in mails begin`]
}

/** A mail server, and how it is used. */
export type SmtpPlace = {
  readonly host: string
  readonly port: number
  /** `implicit`: from the first byte; `starttls`: asked for, and nothing is sent without it; `optional`: used when offered. */
  readonly tls: 'implicit' | 'starttls' | 'optional'
  /** Whether the certificate is verified. That of a mail server on this machine is not. */
  readonly isVerified: boolean
  readonly login: { readonly user: string; readonly pass: string } | undefined
  /** The address that mails come from. */
  readonly from: string
  /** It is set up in the room of the operator, and not in the environment. */
  readonly isOfRoom?: true
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/
export const isThisMachine = (host: string): boolean => LOOPBACK.test(host)

/** With `none` TLS is used when it is offered. */
export const smtpPlace = ({
  tls,
  ...place
}: Pick<SmtpPlace, 'host' | 'port' | 'login' | 'from'> & {
  readonly tls: 'implicit' | 'starttls' | 'none'
}): SmtpPlace => ({
  ...place,
  tls: tls === 'none' ? 'optional' : tls,
  isVerified: !isThisMachine(place.host),
})

const PORTS = { 'smtps:': 465, 'smtp:': 587 } as const
const FORM = 'must be smtps://USER:PASSWORD@host:port?from=ADDRESS, or smtp:// for STARTTLS'

/** The messages do not show the text. */
function parseSmtpUrl(text: string): SmtpPlace {
  const url = URL.parse(text)
  const scheme = url?.protocol as keyof typeof PORTS | undefined
  if (!url?.hostname || !scheme || !Object.hasOwn(PORTS, scheme)) throw new Error(FORM)
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') throw new Error(FORM)
  const others = [...url.searchParams.keys()].filter((key) => key !== 'from' && key !== 'tls')
  const [tls] = url.searchParams.getAll('tls')
  if (others.length > 0 || (tls !== undefined && tls !== 'off')) {
    throw new Error('may have ?from=ADDRESS and &tls=off, and nothing else')
  }
  const [user, pass] = [url.username, url.password].map(decoded)
  if (user === undefined || pass === undefined || (user === '') !== (pass === ''))
    throw new Error(FORM)
  const from = parseMailAddress(url.searchParams.get('from') ?? user)
  if (!from) throw new Error('must name the address that mails come from, as ?from=ADDRESS')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (scheme === 'smtps:' && tls === 'off') throw new Error('cannot have tls=off with smtps')
  const isPlain = isThisMachine(host) || tls === 'off'
  return smtpPlace({
    host,
    port: url.port === '' ? PORTS[scheme] : Number(url.port),
    tls: scheme === 'smtps:' ? 'implicit' : isPlain ? 'none' : 'starttls',
    login: user === '' ? undefined : { user, pass },
    from,
  })
}

/** Undefined for what is no text in percent encoding. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
