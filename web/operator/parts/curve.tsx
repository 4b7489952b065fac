import { timeText } from '../text.ts'

const WIDTH = 200
const HEIGHT = 40
/** Room for the thickness of the line. */
const EDGE = 2

type CurveProps = {
  readonly label: string
  readonly at: readonly number[]
  readonly values: readonly (number | null)[]
  readonly as: (value: number) => string
}

/** How a number has changed, with the least and the most that it was. */
export function Curve({ label, at, values, as }: CurveProps) {
  const known = values.filter((value) => value !== null)
  if (known.length < 2) return null
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const range = least === most ? `always ${as(least)}` : `${as(least)} to ${as(most)}`
  return (
    <figure className="curve">
      <svg
        role="img"
        aria-label={`${label} since ${timeText(at[0]!)}: ${range}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {linesOf(at, values, least, most).map((points) => (
          <polyline key={points} points={points} vectorEffect="non-scaling-stroke" />
        ))}
      </svg>
      <figcaption className="curve-note muted">{range}</figcaption>
    </figure>
  )
}

/** The points of each part of the curve; it is broken where nothing was known. */
function linesOf(
  at: readonly number[],
  values: readonly (number | null)[],
  least: number,
  most: number,
): string[] {
  const [from, to] = [at[0]!, at.at(-1)!]
  const lines: string[][] = [[]]
  values.forEach((value, i) => {
    if (value === null) {
      lines.push([])
      return
    }
    const x = ((at[i]! - from) / (to - from || 1)) * WIDTH
    const share = least === most ? 0.5 : (value - least) / (most - least)
    const y = HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)
    lines.at(-1)!.push(`${x.toFixed(1)},${y.toFixed(1)}`)
  })
  return lines.filter((points) => points.length > 1).map((points) => points.join(' '))
}
