import type { ReactNode } from 'react'
import { t } from '../../shared/messages.ts'
import type { Cast } from '../types.ts'
import { CastView } from './cast.tsx'
import { MoreButton } from './more-button.tsx'
import type { NewCasts } from './use-new-casts.ts'

type Props = {
  casts: readonly Cast[]
  /** Casts that came since the list was read. */
  news?: NewCasts
  pages: Parameters<typeof MoreButton>[0]
  empty: ReactNode
}

/** Casts, each once. */
export function CastList({ casts, news, pages, empty }: Props) {
  const distinct = new Map(casts.map((cast) => [cast.hash, cast]))
  return (
    <>
      {news && <NewsPill {...news} />}
      {distinct.size === 0 && !pages.hasNextPage && empty}
      {[...distinct.values()].map((cast) => (
        <CastView key={cast.hash} cast={cast} isNew={news?.added.has(cast.hash) ?? false} />
      ))}
      <MoreButton {...pages} />
    </>
  )
}

/** Says how many casts came. It takes no room, so that what one reads does not move. */
const NewsPill = ({ waiting, show }: NewCasts) => (
  <div className="news-place" role="status">
    {waiting.length > 0 && (
      <button type="button" className="primary news-pill" onClick={show}>
        {t('{count, plural, one {# new {post}} other {# new {posts}}}', { count: waiting.length })}
      </button>
    )}
  </div>
)
