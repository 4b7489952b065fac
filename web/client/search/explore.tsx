import { type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { cleanName, cleanText } from '../../shared/text.ts'
import { useApp } from '../api.ts'
import { isMedia } from '../media/own-path.ts'
import { pictureOf } from '../media/picture-of.ts'
import { Previewed } from '../media/previewed.tsx'
import { CastView, castPath, ForeignCasts } from '../parts/cast.tsx'
import { Channels, People, useAsPlace } from '../parts/discover.tsx'
import { nameOf } from '../parts/person.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, EmbedUrl, ExploreScreen } from '../types.ts'
import { FilterBar } from './filter-bar.tsx'
import { searchPath } from './filters.ts'

/** What there is to be found, for who looks for nothing yet. */
export function Explore() {
  const { fid } = useSession()
  const asked = useApp<ExploreScreen>('/screen/explore', { viewer_fid: fid })
  useAsPlace()
  return (
    <>
      <header className="screen-head">
        <h1>{t('Explore')}</h1>
      </header>
      <FilterBar q="" />
      {asked.isPending && <Loading what={t('Looking around')} />}
      {asked.error && !asked.data && <Failed error={asked.error} retry={asked.refetch} />}
      {asked.data && <Found found={asked.data} />}
    </>
  )
}

function Found({ found: { tags, casts, pictures, users, channels } }: { found: ExploreScreen }) {
  if (casts.length + pictures.length + users.length + channels.length === 0) {
    return (
      <Shown icon="search" heading={t('Nothing to explore yet')}>
        <p>{t('Tags, pictures, people and channels appear here as people come and write.')}</p>
        <Link className="primary button" to="/">
          {t('Go to Home')}
        </Link>
      </Shown>
    )
  }
  return (
    <>
      {tags.length > 0 && (
        <Part heading={t('Trending tags')}>
          <ul className="trend-tags">
            {tags.map(({ tag, people }) => (
              <li key={tag}>
                <Link to={searchPath(`#${tag}`)}>
                  <bdi>#{cleanName(tag)}</bdi>{' '}
                  <span className="muted">
                    {t('{people, plural, one {# person} other {# people}}', { people })}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {pictures.length > 0 && (
        <Part
          heading={t('New pictures')}
          more={{ to: searchPath('has:pictures'), text: t('All pictures') }}
        >
          <ul className="picture-grid">
            {wholeRows(pictures).map((cast) => (
              <Tile key={cast.hash} cast={cast} />
            ))}
          </ul>
        </Part>
      )}
      {users.length > 0 && (
        <Part heading={t('New people')}>
          <People users={users} />
        </Part>
      )}
      {channels.length > 0 && (
        <Part heading={t('Channels')} more={{ to: '/channels', text: t('All channels') }}>
          <Channels channels={channels} />
        </Part>
      )}
      {casts.length > 0 && (
        <section aria-labelledby="popular">
          <h2 id="popular" className="part-head">
            {t('Popular now')}
          </h2>
          <Suspense>
            <ForeignCasts casts={casts} show={(cast) => <CastView key={cast.hash} cast={cast} />} />
          </Suspense>
          <Link className="more explore-more" to="/?feed=trending">
            {t('More popular {posts}')}
          </Link>
        </section>
      )}
    </>
  )
}

const ROW = 3

/** Without the last ones that do not fill a row. */
const wholeRows = (pictures: readonly Cast[]): readonly Cast[] =>
  pictures.slice(0, Math.max(1, Math.floor(pictures.length / ROW)) * ROW)

type PartProps = { heading: string; more?: { to: string; text: string }; children: ReactNode }

const Part = ({ heading, more, children }: PartProps) => (
  <section className="explore-part">
    <header>
      <h2>{heading}</h2>
      {more && <Link to={more.to}>{more.text}</Link>}
    </header>
    {children}
  </section>
)

/** The first picture of a post; it leads to the post. */
function Tile({ cast }: { cast: Cast }) {
  const embed = cast.embeds.find((one): one is EmbedUrl => 'url' in one && isMedia(one))
  if (!embed) return null
  const { src, srcSet, thumbhash, description } = pictureOf(embed)
  const what = description || cleanText(cast.text).slice(0, 80) || t('{Post} without text')
  return (
    <li>
      <Link to={castPath(cast)}>
        <Previewed
          {...{ src, srcSet, thumbhash }}
          alt={t('{what}, by {name}', { what, name: nameOf(cast.author) })}
          sizes="(max-width: 640px) 33vw, 200px"
          loading="lazy"
        />
      </Link>
    </li>
  )
}
