import type { Cast } from '../types.ts'
import { CastHead } from './cast.tsx'
import { CastText } from './cast-text.tsx'

/** What is replied to, or quoted. */
export const Original = ({ cast }: { cast: Cast }) => (
  <article className="quote original">
    <CastHead cast={cast} />
    <CastText cast={cast} />
  </article>
)
