import { type ReactNode, Suspense } from 'react'
import { t } from '../../shared/messages.ts'
import { chosenReads } from '../translation/reads.ts'
import type { Cast } from '../types.ts'
import { CastView, ForeignCasts } from './cast.tsx'
import { MoreButton } from './more-button.tsx'
import type { NewCasts } from './use-new-casts.ts'

type Props = {
  casts: readonly Cast[]
  /** Casts that came since the list was read. */
  news?: NewCasts
  pages: Parameters<typeof MoreButton>[0]
  empty: ReactNode
  /** Whether it has posts of everybody, of which those in other languages are folded for who has chosen some. */
  isPublic?: boolean
}

/** Casts, each once. */
export function CastList({ casts, news, pages, empty, isPublic = false }: Props) {
  const distinct = [...new Map(casts.map((cast) => [cast.hash, cast])).values()]
  const show = (cast: Cast) => (
    <CastView key={cast.hash} cast={cast} isNew={news?.added.has(cast.hash) ?? false} />
  )
  return (
    <>
      {news && <NewsPill {...news} />}
      {distinct.length === 0 && !pages.hasNextPage && empty}
      {isPublic && chosenReads().length > 0 ? (
        <Suspense>
          <ForeignCasts casts={distinct} show={show} pages={pages} />
        </Suspense>
      ) : (
        <>
          {distinct.map(show)}
          <MoreButton {...pages} />
        </>
      )}
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
