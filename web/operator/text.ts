import { isRightToLeft } from '../../src/kernel/base/languages/format.ts'
import { language, locale } from '../shared/meta.ts'

const NUMBER = new Intl.NumberFormat(locale)
const PERCENT = new Intl.NumberFormat(locale, { style: 'percent' })
const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
type Unit = (typeof BYTES)[number] | 'millisecond' | 'second' | 'minute' | 'hour' | 'day'

export const countText = (value: number): string => NUMBER.format(Math.round(value))

const unitText = (value: number, unit: Unit, digits = 0): string =>
  new Intl.NumberFormat(locale, {
    ...{ style: 'unit', unit, unitDisplay: unit === 'day' ? 'long' : 'short' },
    ...{ minimumFractionDigits: digits, maximumFractionDigits: digits },
  }).format(value)

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 1_000 && unit < BYTES.length - 1; unit++) value /= 1_000
  return unitText(value, BYTES[unit]!, value >= 100 || unit === 0 ? 0 : 1)
}

export const percentText = (ratio: number): string => PERCENT.format(ratio)

export function durationText(seconds: number): string {
  if (seconds < 1) return unitText(seconds * 1_000, 'millisecond')
  if (seconds < 120) return unitText(seconds, 'second')
  if (seconds < 7_200) return unitText(seconds / 60, 'minute')
  if (seconds < 172_800) return unitText(seconds / 3_600, 'hour')
  return unitText(seconds / 86_400, 'day')
}

// Times are those of the clock of the reader.
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const TIME = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** The day of a time that may be unknown. */
export const dayText = (unixSeconds: number | undefined): string =>
  unixSeconds === undefined ? '–' : DAY.format(unixSeconds * 1_000)

export const timeText = (unixSeconds: number): string => TIME.format(unixSeconds * 1_000)

/** As logs have it; between two marks that keep its order where lines run from right to left. */
export function utcText(unixSeconds: number): string {
  const text = `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  return isRightToLeft(language) ? `\u2066${text}\u2069` : text
}
