import { dateText } from '../../shared/text.ts'

const UNITS = [
  { seconds: 86_400, letter: 'd' },
  { seconds: 3_600, letter: 'h' },
  { seconds: 60, letter: 'm' },
] as const
const MAX_DAYS = 7
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

/** `5m`, `3h`, `2d`, then the date. */
export function shortTime(ms: number, nowMs: number): string {
  const seconds = (nowMs - ms) / 1_000
  if (seconds >= MAX_DAYS * 86_400 || seconds < -60) return DAY.format(ms)
  const unit = UNITS.find((one) => seconds >= one.seconds)
  return unit ? `${Math.floor(seconds / unit.seconds)}${unit.letter}` : 'now'
}

export const Time = ({ at }: { at: string }) => {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={dateText(ms / 1_000)}>
      {shortTime(ms, Date.now())}
    </time>
  )
}
