import { t } from '../shared/messages.ts'
import { locale } from '../shared/meta.ts'

const NUMBER = new Intl.NumberFormat(locale)
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

export const countText = (value: number): string => NUMBER.format(Math.round(value))

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1_000 && unit < UNITS.length - 1; unit++) value /= 1_000
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

export const percentText = (ratio: number): string => `${Math.round(ratio * 100)} %`

export function durationText(seconds: number): string {
  if (seconds < 1) return t('{seconds} ms', { seconds: Math.round(seconds * 1_000) })
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return t('{seconds} min', { seconds: Math.round(seconds / 60) })
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return t('{seconds} days', { seconds: Math.round(seconds / 86_400) })
}

/** The day of a time that may be unknown. */
export const dayText = (unixSeconds: number | undefined): string =>
  unixSeconds === undefined ? '–' : timeText(unixSeconds).slice(0, 10)

export const timeText = (unixSeconds: number): string =>
  t('{replace} UTC', {
    replace: new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' '),
  })
