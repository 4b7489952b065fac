import { lazy, type MouseEvent, Suspense } from 'react'
import { Link, useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { cleanName } from '../../shared/text.ts'
import { CastActions } from '../act/cast-actions.tsx'
import { useIsGone } from '../act/overrides.ts'
import { isForeign } from '../translation/reads.ts'
import type { Cast } from '../types.ts'
import { CastText } from './cast-text.tsx'
import { Embeds } from './embeds.tsx'
import { Byline, handleOf, Portrait, personPath } from './person.tsx'
import { Time } from './time.tsx'

export const castPath = ({ hash }: Pick<Cast, 'hash'>): string => `/cast/${hash}`

/** A cast in a list. */
export function CastView({ cast, isNew = false }: { cast: Cast; isNew?: boolean }) {
  const isGone = useIsGone()
  const navigate = useNavigate()
  if (isGone(cast)) return null
  return (
    <article
      className={isNew ? 'cast cast-new' : 'cast'}
      tabIndex={-1}
      aria-label={t('{Post} by {who}', { who: handleOf(cast.author) })}
    >
      <Link to={personPath(cast.author)} tabIndex={-1} aria-hidden="true">
        <Portrait user={cast.author} />
      </Link>
      <div className="cast-body">
        <CastHead cast={cast} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a larger target for the link of the time */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys go to the article and to the link of the time */}
        <div
          className="cast-open"
          onClick={(event) => isOpening(event) && navigate(castPath(cast))}
        >
          <CastText cast={cast} />
        </div>
        <Foreign cast={cast} />
        <Embeds cast={cast} />
        <CastActions cast={cast} />
      </div>
    </article>
  )
}

/** What is offered for a cast in another language, or a list in which those are folded. */
export const ForeignCasts = lazy(() => import('../translation/foreign-casts.tsx'))

/** What a reader of other languages is offered below the text. It has its height before it has come. */
export const Foreign = ({ cast }: { cast: Cast }) =>
  isForeign(cast) && (
    <Suspense fallback={<br />}>
      <ForeignCasts cast={cast} />
    </Suspense>
  )

/** Not where a link or a button is pressed, where text is selected, or for another tab. */
function isOpening({ target, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  if (ctrlKey || metaKey || shiftKey || altKey) return false
  return !(target as Element).closest('a, button') && getSelection()?.isCollapsed !== false
}

export function CastHead({ cast }: { cast: Cast }) {
  return (
    <header className="cast-head">
      <Byline user={cast.author} />
      <Link to={castPath(cast)} className="cast-time">
        <Time at={cast.timestamp} />
      </Link>
      {cast.channel && (
        <Link to={`/channel/${encodeURIComponent(cast.channel.id)}`} className="chip">
          <bdi>/{cleanName(cast.channel.id)}</bdi>
        </Link>
      )}
    </header>
  )
}
