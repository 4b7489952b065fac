import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { cleanName } from '../../shared/text.ts'
import type { Cast } from '../types.ts'
import { CastText } from './cast-text.tsx'
import { Embeds } from './embeds.tsx'
import { Byline, handleOf, Portrait, personPath } from './person.tsx'
import { compactNumber } from './tabs.tsx'
import { Time } from './time.tsx'

export const castPath = ({ hash }: Pick<Cast, 'hash'>): string => `/cast/${hash}`

/** A cast in a list. */
export function CastView({ cast, isNew = false }: { cast: Cast; isNew?: boolean }) {
  return (
    <article
      className={isNew ? 'cast cast-new' : 'cast'}
      aria-label={`Cast by ${handleOf(cast.author)}`}
    >
      <Link to={personPath(cast.author)} tabIndex={-1} aria-hidden="true">
        <Portrait user={cast.author} />
      </Link>
      <div className="cast-body">
        <CastHead cast={cast} />
        <CastText cast={cast} />
        <Embeds embeds={cast.embeds} />
        <CastCounts cast={cast} />
      </div>
    </article>
  )
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

/** Replies, recasts and likes; the place where one acts on a cast. */
export function CastCounts({ cast }: { cast: Cast }) {
  const { likes_count, recasts_count } = cast.reactions
  return (
    <ul className="counts">
      <Count icon="reply" value={cast.replies.count} one="reply" many="replies" />
      <Count icon="recast" value={recasts_count} one="recast" many="recasts" />
      <Count icon="heart" value={likes_count} one="like" many="likes" />
    </ul>
  )
}

type CountProps = { icon: 'reply' | 'recast' | 'heart'; value: number; one: string; many: string }

const Count = ({ icon, value, one, many }: CountProps): ReactNode => (
  <li className={`count-${icon}`}>
    <Icon name={icon} />
    <span aria-hidden="true">{value === 0 ? '' : compactNumber(value)}</span>
    <span className="unseen">
      {value} {value === 1 ? one : many}
    </span>
  </li>
)
