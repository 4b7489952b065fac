import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { timeText } from '../text.ts'

/** The ends of the axis. */
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })

const WIDTH = 200
const HEIGHT = 40
/** Room for the thickness of the line. */
const EDGE = 2
const DAY_SECONDS = 24 * 3_600

type Line = {
  readonly label: string
  readonly at: readonly number[]
  readonly values: readonly (number | null)[]
  readonly as: (value: number) => string
}

const knownOf = (values: Line['values']) => values.filter((value) => value !== null)

/** Whether there is anything to see: a number that was always the same has no curve. */
const isFlat = (values: Line['values']): boolean => new Set(knownOf(values)).size < 2

const firstKnown = (values: Line['values']) => values.findIndex((value) => value !== null)

/** How much more or less it is than at the beginning, as `+3 in 7 days`; undefined where it was always the same. */
export function changeText({ at, values, as }: Line): string | undefined {
  if (isFlat(values)) return undefined
  const first = firstKnown(values)
  const last = values.findLastIndex((value) => value !== null)
  const seconds = at[last]! - at[first]!
  // On its first day a server counts what was there when it began to count.
  if (seconds < DAY_SECONDS) return undefined
  const change = values[last]! - values[first]!
  const days = Math.round(seconds / DAY_SECONDS)
  if (change === 0) return t('{days, plural, one {as # day ago} other {as # days ago}}', { days })
  return t('{days, plural, one {{change} in # day} other {{change} in # days}}', {
    days,
    // The sign stands before the digits also in text from right to left.
    change: `\u200e${change > 0 ? '+' : '−'}${as(Math.abs(change))}`,
  })
}

/** How a number has changed, with the least and the most that it was. */
export function Curve({ label, at, values, as }: Line) {
  if (isFlat(values)) return null
  const known = knownOf(values)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const range = t('{as} to {as2}', { as: as(least), as2: as(most) })
  return (
    <dd className="curve">
      <svg
        className="turned"
        role="img"
        aria-label={t('{label} since {time}: {range}', {
          label,
          time: timeText(at[firstKnown(values)]!),
          range,
        })}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {linesOf(at, values, least, most).map((points) => (
          <g key={points.join(' ')}>
            <polygon
              points={[
                `${points[0]!.split(',')[0]},${HEIGHT}`,
                ...points,
                `${points.at(-1)!.split(',')[0]},${HEIGHT}`,
              ].join(' ')}
            />
            <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
          </g>
        ))}
      </svg>
      <span className="curve-scale curve-note muted" aria-hidden="true">
        <span>{as(most)}</span>
        <span>{as(least)}</span>
      </span>
      <span className="curve-days curve-note muted" aria-hidden="true">
        <span>{DAY.format(at[firstKnown(values)]! * 1_000)}</span>
        <span>{DAY.format(at.at(-1)! * 1_000)}</span>
      </span>
    </dd>
  )
}

/** The points of each part of the curve; it is broken where nothing was known. */
function linesOf(
  at: readonly number[],
  values: readonly (number | null)[],
  least: number,
  most: number,
): string[][] {
  const [from, to] = [at[0]!, at.at(-1)!]
  const lines: string[][] = [[]]
  values.forEach((value, i) => {
    if (value === null) {
      lines.push([])
      return
    }
    const x = ((at[i]! - from) / (to - from || 1)) * WIDTH
    const share = (value - least) / (most - least)
    const y = HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)
    lines.at(-1)!.push(`${x.toFixed(1)},${y.toFixed(1)}`)
  })
  return lines.filter((points) => points.length > 1)
}
