import { lazy, Suspense } from 'react'
import { useNavigate } from 'react-router'
import { ONE_TAG } from '../../../src/kernel/views/tags.ts'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { useList, useScreen } from '../api.ts'
import { CastList } from '../parts/cast-list.tsx'
import { ChannelCard } from '../parts/channel-card.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { PersonRow } from '../parts/person.tsx'
import { useQueryText } from '../parts/query-box.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { Explore } from '../search/explore.tsx'
import { FilterBar } from '../search/filter-bar.tsx'
import { readQuery, searchPath } from '../search/filters.ts'
import { useSession } from '../session/session.tsx'
import { MAX_SEARCH_CHARACTERS } from '../shell/search-box.tsx'
import type { Cast, Channel, Page, SearchScreen, User } from '../types.ts'

const FollowTag = lazy(() => import('../lists/follow-tag.tsx'))

export function Component() {
  const q = useQueryText(MAX_SEARCH_CHARACTERS)
  if (q === '') return <NothingAsked />
  const { words: asked, filters } = readQuery(q)
  const [, tag] = ONE_TAG.exec(asked) ?? []
  return (
    <>
      <Title>{t('Search: {q}', { q })}</Title>
      <header className="screen-head">
        <h1>
          {asked === ''
            ? filters.length > 0 && t('{Posts}')
            : rich('Results for “{asked}”', { asked: <bdi>{asked}</bdi> })}
        </h1>
        {tag !== undefined && (
          <Suspense>
            <FollowTag tag={tag} />
          </Suspense>
        )}
      </header>
      <FilterBar q={q} />
      <Results key={q} q={q} />
    </>
  )
}

const NothingAsked = () => (
  <>
    <Title>{t('Explore')}</Title>
    <Explore />
  </>
)

function Results({ q }: { q: string }) {
  const { fid: viewer } = useSession()
  const query = { q, viewer_fid: viewer }
  const screen = useScreen<SearchScreen, Page<'casts', Cast>>('/screen/search', query, {
    pageOf: ({ casts }) => casts,
    // biome-ignore lint/suspicious/noExplicitAny: the answer of another call
    readPage: ({ result }: any) => result,
    more: () => ({ path: '/cast/search', query }),
  })
  if (screen.isPending) return <Loading what={t('Searching')} />
  if (!screen.first) return <Failed error={screen.error!} retry={screen.refetch} />
  const { users, channels, refused } = screen.first
  const casts = screen.pages.flatMap((page) => page.casts)
  const found = users.users.length + channels.channels.length + casts.length
  // A page may be empty and go on.
  if (found === 0 && !screen.hasNextPage) {
    return <NothingFound q={q} refused={refused} />
  }
  return (
    <>
      {users.users.length > 0 && (
        <section aria-labelledby="people">
          <h2 id="people" className="part-head">
            {t('People')}
          </h2>
          <People query={query} first={users} at={screen.dataUpdatedAt} />
        </section>
      )}
      {channels.channels.length > 0 && (
        <section aria-labelledby="channels">
          <h2 id="channels" className="part-head">
            {t('Channels')}
          </h2>
          <Channels query={query} first={channels} at={screen.dataUpdatedAt} />
        </section>
      )}
      <section aria-labelledby="casts">
        <h2 id="casts" className="part-head">
          {t('{Posts}')}
        </h2>
        <CastList
          casts={casts}
          pages={screen}
          empty={
            <p className="part-empty">{refused ? reasonOf(refused) : t('No {post} matches.')}</p>
          }
        />
      </section>
    </>
  )
}

/** Says what to loosen. */
function NothingFound({ q, refused }: { q: string; refused: string | undefined }) {
  const navigate = useNavigate()
  const { words: asked, filters } = readQuery(q)
  const isNarrowed = filters.length > 0 && asked !== ''
  return (
    <Shown
      icon="search"
      heading={t('Nothing matches')}
      {...(isNarrowed && {
        action: { text: t('Search without filters'), run: () => navigate(searchPath(asked)) },
      })}
    >
      <p>
        {refused
          ? reasonOf(refused)
          : isNarrowed
            ? t('Take a filter away, or allow more days.')
            : t('Try fewer words, or the beginning of a name.')}
      </p>
    </Shown>
  )
}

/** The server names the parameter. */
const reasonOf = (refused: string) =>
  t('Your search {replace}.', { replace: refused.replace(/^q /, '') })

type ListProps<K extends string, T> = {
  query: { q: string; viewer_fid: number | undefined }
  first: Page<K, T>
  at: number
}

function People({ query, ...start }: ListProps<'users', User>) {
  const list = useList<Page<'users', User>>(
    { path: '/user/search', query },
    {
      ...start,
      // biome-ignore lint/suspicious/noExplicitAny: the answer of another call
      readPage: ({ result }: any) => result,
    },
  )
  const users = list.pages.flatMap((page) => page.users)
  return (
    <>
      {users.map((user) => (
        <PersonRow key={user.fid} user={user} />
      ))}
      <MoreButton {...list} isOnDemand />
    </>
  )
}

function Channels({ query, ...start }: ListProps<'channels', Channel>) {
  const list = useList<Page<'channels', Channel>>({ path: '/channel/search', query }, start)
  const channels = list.pages.flatMap((page) => page.channels)
  return (
    <>
      <div className="channel-grid">
        {channels.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} />
        ))}
      </div>
      <MoreButton {...list} isOnDemand />
    </>
  )
}
