import { isLoopbackHost, readDomain } from '../../kernel/base/web-domain.ts'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { visibleText } from '../../kernel/platform/visible-text.ts'
import { CAPABILITIES, CATEGORIES, type Category } from './text/words.ts'

// The fields of a manifest, as the published schema has them, and what is wrong about a value. Lengths are UTF-16 units.

/** What is wrong about a value: a message that continues the name of the field, and a fix. */
export type Wrong = { readonly message: string; readonly fix: string; readonly isLoopback?: true }
export type Read<T = unknown> = { readonly value?: T; readonly wrong?: Wrong }
type Terms = { readonly allowLoopback: boolean }
/** Reads a value of one kind. A loopback URL is a value with a warning. */
export type Kind = (value: unknown, terms: Terms) => Read

const wrong = (message: string, fix: string): Read => ({ wrong: { message, fix } })

const EMOJI = /[\u{1f300}-\u{1f9ff}\u{2702}-\u{27b0}\u{2600}-\u{26ff}\u{2b00}-\u{2bff}]/u
const SPECIAL = /[@#$%^&*+=/\\|~«»]/
const REPEATED = /!{2,}|\?{2,}|-{2,}/

/** Any text. */
export const text =
  (max: number): Kind =>
  (value) => {
    if (typeof value !== 'string') return wrong('must be a text', 'Write it in quotes.')
    if (value.length > max) {
      return wrong(`has ${value.length} characters`, `Shorten it to ${max} characters.`)
    }
    return { value: visibleText(value) }
  }

/** A text without emoji, most symbols and repeated punctuation. */
const simple =
  (max: number, { spaces = true } = {}): Kind =>
  (value, terms) => {
    const read = text(max)(value, terms)
    if (read.wrong) return read
    const given = value as string
    const found = EMOJI.exec(given) ?? SPECIAL.exec(given) ?? REPEATED.exec(given)
    if (found) return wrong(`must not contain "${found[0]}"`, `Remove "${found[0]}".`)
    if (!spaces && /\s/.test(given)) return wrong('must be one word', 'Remove the spaces.')
    return read
  }

export const url: Kind = (value, { allowLoopback }) => {
  const fix = 'Write a public https URL, such as https://app.example/icon.png.'
  if (typeof value !== 'string') return wrong('must be a URL', fix)
  if (value.length > MAX_URL_CHARACTERS) {
    return wrong(`is longer than ${MAX_URL_CHARACTERS} characters`, 'Shorten the URL.')
  }
  const parsed = URL.parse(value)
  if (!parsed || value.includes(' ')) return wrong('must be a URL', fix)
  if (isLoopbackHost(parsed.hostname) && /^https?:\/\//.test(value)) {
    const message = 'is on this machine'
    return allowLoopback
      ? { value: parsed.href, wrong: { message, fix, isLoopback: true } }
      : wrong(message, fix)
  }
  if (!value.startsWith('https://')) return wrong('must begin with https://', fix)
  if (/^[\d.]+$|^\[/.test(parsed.hostname)) return wrong('must not name an IP address', fix)
  return { value: parsed.href }
}

const oneOf =
  (words: readonly string[]): Kind =>
  (value) =>
    words.includes(value as string)
      ? { value }
      : wrong(`must not be ${shown(value)}`, `Write one of: ${words.join(', ')}.`)

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'left out').slice(0, 60)

const list =
  (kind: Kind, max: number): Kind =>
  (value, terms) => {
    if (!Array.isArray(value)) return wrong('must be a list', 'Write it in square brackets.')
    if (value.length > max) {
      return wrong(`has ${value.length} entries`, `Keep at most ${max} of them.`)
    }
    const reads = value.map((one) => kind(one, terms))
    const first = reads.findIndex((read) => read.wrong && !read.wrong.isLoopback)
    const at = first < 0 ? reads.findIndex((read) => read.wrong) : first
    const found = reads[at]?.wrong
    const values = { value: [...new Set(reads.map((read) => read.value))] }
    if (!found) return values
    const named = { ...found, message: `${found.message} (entry ${at + 1})` }
    return first < 0 ? { ...values, wrong: named } : { wrong: named }
  }

export const color: Kind = (value) =>
  typeof value === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)
    ? { value }
    : wrong('must be a colour', 'Write it as #RRGGBB or #RGB.')

const flag: Kind = (value) =>
  typeof value === 'boolean' ? { value } : wrong('must be true or false', 'Remove the quotes.')

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i
const MAX_DOMAIN = 1_024
const domain: Kind = (value, { allowLoopback }) =>
  typeof value === 'string' && value.length <= MAX_DOMAIN && isDomain(value, allowLoopback)
    ? { value }
    : wrong('must be a domain', 'Write it without https:// and path, such as app.example.')

const isDomain = (text: string, allowLoopback: boolean) =>
  DOMAIN.test(text) || (allowLoopback && readDomain(text, true) === text)

/** The chains that a published manifest may name. */
const CHAINS = [
  ...['1', '8453', '42161', '421614', '84532', '666666666', '100', '10', '11155420', '137'],
  ...['11155111', '7777777', '130', '10143', '42220', '999'],
]
  .map((id) => `eip155:${id}`)
  .concat('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')

/** Entries of lists that may repeat themselves. */
const MAX_REPEATED = 100

export const REQUIRED_FIELDS = ['version', 'name', 'iconUrl', 'homeUrl'] as const

export const FIELDS: Readonly<Record<string, Kind>> = {
  version: oneOf(['1', 'next', '0.0.1', '0.0.0']),
  name: text(32),
  iconUrl: url,
  homeUrl: url,
  imageUrl: url,
  buttonTitle: text(32),
  splashImageUrl: url,
  splashBackgroundColor: color,
  webhookUrl: url,
  subtitle: simple(30),
  description: simple(170),
  screenshotUrls: list(url, 3),
  primaryCategory: oneOf(CATEGORIES),
  tags: list(simple(20, { spaces: false }), 5),
  heroImageUrl: url,
  tagline: simple(30),
  ogTitle: simple(30),
  ogDescription: simple(100),
  ogImageUrl: url,
  noindex: flag,
  requiredChains: list(oneOf(CHAINS), MAX_REPEATED),
  requiredCapabilities: list(oneOf(CAPABILITIES), MAX_REPEATED),
  castShareUrl: url,
  canonicalDomain: domain,
}

/** The fields of a manifest that has been checked. */
export type Manifest = {
  readonly version: string
  readonly name: string
  readonly iconUrl: string
  readonly homeUrl: string
  readonly imageUrl?: string
  readonly buttonTitle?: string
  readonly splashImageUrl?: string
  readonly splashBackgroundColor?: string
  readonly webhookUrl?: string
  readonly subtitle?: string
  readonly description?: string
  readonly screenshotUrls?: readonly string[]
  readonly primaryCategory?: Category
  readonly tags?: readonly string[]
  readonly heroImageUrl?: string
  readonly tagline?: string
  readonly ogTitle?: string
  readonly ogDescription?: string
  readonly ogImageUrl?: string
  readonly noindex?: boolean
  readonly requiredChains?: readonly string[]
  readonly requiredCapabilities?: readonly string[]
  readonly castShareUrl?: string
  readonly canonicalDomain?: string
}
