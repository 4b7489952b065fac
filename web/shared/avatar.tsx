// A picture generated from a fid. Profile pictures are on other sites, which would learn who views the page.

const SIZE = 5
/** The left half with the middle column; the right half mirrors it. */
const DRAWN_COLUMNS = 3
const HUES = [172, 205, 28, 262, 340, 132, 48, 12]

export function Avatar({ fid, small = false }: { fid: number; small?: boolean }) {
  const bits = scramble(fid)
  const hue = HUES[bits % HUES.length]
  const cells = Array.from({ length: SIZE * DRAWN_COLUMNS }, (_, i) => i)
    .filter((i) => (bits >>> (i + 3)) & 1)
    .flatMap((i) => {
      const [x, y] = [Math.floor(i / SIZE), i % SIZE]
      return x === SIZE - 1 - x
        ? [{ x, y }]
        : [
            { x, y },
            { x: SIZE - 1 - x, y },
          ]
    })
  return (
    <svg
      className={small ? 'avatar avatar-small' : 'avatar'}
      viewBox="-1.5 -1.5 8 8"
      aria-hidden="true"
    >
      <rect x="-1.5" y="-1.5" width="8" height="8" fill={`hsl(${hue} 45% 88%)`} />
      <path
        d={cells.map(({ x, y }) => `M${x} ${y}h1v1h-1z`).join('')}
        fill={`hsl(${hue} 55% 34%)`}
      />
    </svg>
  )
}

/** A 32-bit hash that differs strongly between neighbouring fids. */
function scramble(value: number): number {
  let bits = Math.imul(value ^ 0x9e3779b9, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
