import type { Person } from '../types.ts'

// How things are written on the pages.

const MAX_NAME_CHARACTERS = 48
/** Control characters and marks that turn the direction of what follows: names must not forge a sentence. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name that somebody gave themselves, fit to stand in a sentence of ours. */
export function cleanName(name: string): string {
  const clean = name.replace(UNSEEN, '').replace(/\s+/g, ' ').trim()
  const characters = [...clean]
  if (characters.length <= MAX_NAME_CHARACTERS) return clean
  return `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`
}

/** What to call somebody: as they call themselves, else by name, else by number. */
export const nameOf = ({ displayName, username, fid }: Person): string =>
  cleanName(displayName ?? '') || cleanName(username ?? '') || `Account ${fid}`

/** Whether somebody has told anything about themselves. */
export const hasProfile = ({ displayName, username }: Person): boolean =>
  cleanName(displayName ?? '') !== '' || cleanName(username ?? '') !== ''

/** `@raven · fid 2` */
export const handleOf = ({ username, fid }: Person): string => {
  const name = cleanName(username ?? '')
  return name === '' ? `fid ${fid}` : `@${name} · fid ${fid}`
}

/** The beginning and the end of 0x hex. */
export const shortHex = (hex: string): string =>
  hex.length <= 16 ? hex : `${hex.slice(0, 8)}…${hex.slice(-6)}`

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export const dateText = (unixSeconds: number): string => DATE.format(unixSeconds * 1000)

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const

/** `2 hours ago`, `in 3 days` */
export function relativeText(unixSeconds: number, now: number): string {
  const difference = unixSeconds - now
  const fitting = UNITS.find(({ seconds }) => Math.abs(difference) >= seconds)
  if (!fitting) return difference > 0 ? 'in less than a minute' : 'just now'
  return RELATIVE.format(Math.trunc(difference / fitting.seconds), fitting.unit)
}
