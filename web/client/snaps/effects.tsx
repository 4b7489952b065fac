import type { CSSProperties } from 'react'
import type { SnapPage } from './page.ts'

const PIECES = 40
const COLORS = ['gray', 'blue', 'red', 'amber', 'green', 'teal', 'purple', 'pink']
/** Spreads pieces evenly without a repeating pattern. */
const GOLDEN_RATIO = 0.618034

type Effect = NonNullable<SnapPage['effects']>[number]

/** What a page celebrates with, once. Whoever has asked for less motion does not see it. */
export const Effects = ({ effects = [] }: { effects?: readonly Effect[] | undefined }) =>
  effects.map((effect) => (
    <div key={effect} className={`snap-effect ${effect}`} aria-hidden="true">
      {Array.from({ length: PIECES }, (_, i) => {
        const style = {
          '--at': ((i + 1) * GOLDEN_RATIO) % 1,
          '--turn': `${(i * 360) / PIECES}deg`,
          '--wait': `${(i % 8) * 90}ms`,
          background: `var(--snap-${COLORS[i % COLORS.length]})`,
        } as CSSProperties
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name and never move
        return <span key={i} style={style} />
      })}
    </div>
  ))
