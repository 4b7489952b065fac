import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { useFact } from '../act/overrides.ts'
import { CastView } from '../parts/cast.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { type Bookmark, bookmarkFact, useBookmarks } from './calls.ts'
import { useBookmark } from './use-bookmark.ts'

/** What one keeps to read again. */
export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Bookmarks')}</Title>
      {fid === undefined ? (
        <Shown isScreen icon="bookmark" heading={t('Sign in to see your bookmarks')}>
          <Link className="primary button" to="/join">
            {t('Join or sign in')}
          </Link>
        </Shown>
      ) : (
        <List />
      )}
    </>
  )
}

function List() {
  const pages = useBookmarks()
  if (pages.isPending) return <Loading isScreen what={t('Loading your bookmarks')} />
  if (!pages.data) return <Failed isScreen error={pages.error} retry={pages.refetch} />
  const bookmarks = pages.data.pages.flatMap((page) => page.bookmarks)
  return (
    <>
      <header className="screen-head">
        <h1>{t('Bookmarks')}</h1>
        <p className="muted">{t('Only you can see them.')}</p>
      </header>
      {bookmarks.length === 0 && (
        <Shown icon="bookmark" heading={t('No bookmarks yet')}>
          <p>{t('“Bookmark” in the menu of a {post} keeps it here.')}</p>
          <Link className="primary button" to="/">
            {t('Read what is new')}
          </Link>
        </Shown>
      )}
      {bookmarks.map((one) => (
        <Kept key={one.cast_hash} bookmark={one} />
      ))}
      <MoreButton {...pages} />
    </>
  )
}

function Kept({ bookmark: { cast, cast_hash } }: { bookmark: Bookmark }) {
  const bookmark = useBookmark()
  const isKept = useFact(bookmarkFact(cast_hash), true)
  if (!isKept) return null
  if (cast) return <CastView cast={cast} />
  return (
    <div className="unavailable">
      <p className="muted">{t('This {post} is not available.')}</p>
      <button type="button" className="secondary" onClick={() => bookmark(cast_hash, false)}>
        {t('Remove the bookmark')}
      </button>
    </div>
  )
}
