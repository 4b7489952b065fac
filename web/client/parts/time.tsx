import { t } from '../../shared/messages.ts'
import { language, locale } from '../../shared/meta.ts'
import { dateText, relativeText } from '../../shared/text.ts'

const UNITS = [
  { seconds: 86_400, unit: 'day' },
  { seconds: 3_600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const
/** `5m`; where one letter says nothing, the word that the language shortens it to. */
const unitDisplay = language.startsWith('en') ? 'narrow' : 'short'
const formatOf = (unit: string) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay })
const FORMATS = { day: formatOf('day'), hour: formatOf('hour'), minute: formatOf('minute') }
const MAX_DAYS = 7
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

/** `5m`, `3h`, `2d`, then the date. */
export function shortTime(ms: number, nowMs: number): string {
  const seconds = (nowMs - ms) / 1_000
  if (seconds >= MAX_DAYS * 86_400 || seconds < -60) return DAY.format(ms)
  const fitting = UNITS.find((one) => seconds >= one.seconds)
  if (!fitting) return t('now')
  // “5 Min.” would end a sentence twice.
  return FORMATS[fitting.unit].format(Math.floor(seconds / fitting.seconds)).replace(/\.$/, '')
}

export const Time = ({ at }: { at: string }) => {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={dateText(ms / 1_000)}>
      {shortTime(ms, Date.now())}
    </time>
  )
}

/** A time for use within a sentence: `5 minutes ago`, and after seven days the date. */
export const Ago = ({ at }: { at: string }) => {
  const ms = Date.parse(at)
  const nowMs = Date.now()
  const isNear = nowMs - ms < MAX_DAYS * 86_400_000
  return (
    <time dateTime={at} title={dateText(ms / 1_000)}>
      {isNear ? relativeText(ms / 1_000, nowMs / 1_000) : DAY.format(ms)}
    </time>
  )
}
