import type { ReactNode } from 'react'
import type { Cast } from '../types.ts'
import { CastView } from './cast.tsx'
import { MoreButton } from './more-button.tsx'

type Props = {
  casts: readonly Cast[]
  /** Casts that came since the list was loaded, the newest first. */
  arrived?: readonly Cast[]
  pages: Parameters<typeof MoreButton>[0]
  empty: ReactNode
}

/** Casts, each once. */
export function CastList({ casts, arrived = [], pages, empty }: Props) {
  const known = new Set(arrived.map(({ hash }) => hash))
  const older = casts.filter(({ hash }) => !known.has(hash))
  if (arrived.length + older.length === 0 && !pages.hasNextPage) return empty
  return (
    <>
      {arrived.map((cast) => (
        <CastView key={cast.hash} cast={cast} isNew />
      ))}
      {older.map((cast) => (
        <CastView key={cast.hash} cast={cast} />
      ))}
      <MoreButton {...pages} />
    </>
  )
}
