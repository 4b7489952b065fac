import type { Person } from '../types.ts'
import { t } from './messages.ts'
import { locale } from './meta.ts'

// Formatting of names, numbers and times on the pages.

const MAX_NAME_CHARACTERS = 48
/** Control and bidirectional characters, with which a name could forge the text around it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name that a user chose, made safe to show within a sentence. */
export function cleanName(name: string): string {
  const clean = name.replace(UNSEEN, '').replace(/\s+/g, ' ').trim()
  const characters = [...clean]
  if (characters.length <= MAX_NAME_CHARACTERS) return clean
  return `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`
}

/** Line breaks and joined emoji stay in a longer text. */
const UNSEEN_IN_TEXT = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const REPLACEMENTS = /\r\n?|[\u2028\u2029]/g

/**
 * A longer text that a user wrote. Each unseen character becomes `replacement`: one of the same length keeps
 * positions in the text.
 */
export const cleanText = (text: string): string =>
  text.replace(REPLACEMENTS, (line) => '\n'.padStart(line.length, ' ')).replace(UNSEEN_IN_TEXT, '')

/** Display name, otherwise username, otherwise `Account 7`. */
export const nameOf = ({ displayName, username, fid }: Person): string =>
  cleanName(displayName ?? '') ||
  cleanName(username ?? '') ||
  t('Account {fid}', { fid: String(fid) })

/** Whether the account has a display name or a username. */
export const hasProfile = ({ displayName, username }: Person): boolean =>
  cleanName(displayName ?? '') !== '' || cleanName(username ?? '') !== ''

/** `@raven · fid 2` */
export const handleOf = ({ username, fid }: Person): string => {
  const name = cleanName(username ?? '')
  return name === ''
    ? t('fid {fid}', { fid: String(fid) })
    : t('@{name} · fid {fid}', { name, fid: String(fid) })
}

export const LIST = new Intl.ListFormat(locale)

/** `ada, bob and eve` */
export const listText = (all: readonly string[]): string => LIST.format(all)

const LIST_OF_LONG = new Intl.ListFormat(locale, { type: 'unit' })

/** `post, like and repost, follow`: of parts that may have an `and` themselves. */
export const longListText = (all: readonly string[]): string => LIST_OF_LONG.format(all)

/** The beginning and the end of 0x hex. */
export const shortHex = (hex: string): string =>
  hex.length <= 16 ? hex : `${hex.slice(0, 8)}…${hex.slice(-6)}`

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

export const dateText = (unixSeconds: number): string => DATE.format(unixSeconds * 1000)

const RELATIVE = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

/** `2 hours ago`, `in 3 days` */
export function relativeText(unixSeconds: number, now: number): string {
  const difference = unixSeconds - now
  const fitting = UNITS.find(({ seconds }) => Math.abs(difference) >= seconds)
  if (!fitting) return difference > 0 ? t('in less than a minute') : t('just now')
  return RELATIVE.format(Math.trunc(difference / fitting.seconds), fitting.unit)
}

/** `30 days`, `1 hour`, `90 seconds` */
export function durationText(seconds: number): string {
  const fitting = UNITS.find((one) => seconds >= one.seconds && seconds % one.seconds === 0)
  const { unit, seconds: length } = fitting ?? { unit: 'second', seconds: 1 }
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(seconds / length)
}
