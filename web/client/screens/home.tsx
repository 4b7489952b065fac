import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import type { Query } from '../../shared/request.ts'
import { cleanName } from '../../shared/text.ts'
import { useScreen } from '../api.ts'
import { useOwnLists } from '../lists/calls.ts'
import { useIsSuspended } from '../moderation/calls.ts'
import { CastList } from '../parts/cast-list.tsx'
import { useOwnUser } from '../parts/discover.tsx'
import { LiveMark } from '../parts/live-mark.tsx'
import { Empty, Failed, FromBefore, Loading } from '../parts/states.tsx'
import { type Tab, Tabs } from '../parts/tabs.tsx'
import { Title } from '../parts/title.tsx'
import { type CastsOnScreen, useNewCasts } from '../parts/use-new-casts.ts'
import { useSession } from '../session/session.tsx'
import type { Cast, Page } from '../types.ts'

const Welcome = lazy(async () => ({ default: (await import('../parts/welcome.tsx')).Welcome }))
const FollowingNobody = lazy(async () => ({
  default: (await import('../parts/welcome.tsx')).FollowingNobody,
}))

const Suspended = lazy(() => import('../moderation/suspended.tsx'))

/** For visitors only. */
const FrontDoor = lazy(async () => ({ default: (await import('../parts/door.tsx')).FrontDoor }))

const OwnFeed = lazy(() => import('../lists/own-feed.tsx'))

/** Before the id of a list of people, in the address. */
const LIST = 'list-'

type Feed = { path: string; query: Query; text: string }

/** The feeds by their names in the address. */
function feedsFor(fid: number | undefined): Record<string, Feed> {
  const viewer = { viewer_fid: fid }
  const open = {
    newest: { path: '/feed/newest', query: viewer, text: t('Newest') },
    trending: { path: '/feed/trending', query: viewer, text: t('Trending') },
  }
  if (fid === undefined) return open
  return {
    newest: open.newest,
    following: {
      path: '/feed/following',
      query: { fid, ...viewer },
      text: t('Following', undefined, 'a tab: those whom somebody follows'),
    },
    channels: {
      path: '/feed/followed_channels',
      query: { fid, ...viewer },
      text: t('Channels'),
    },
    trending: open.trending,
  }
}

export function Component() {
  const { fid } = useSession()
  const [params] = useSearchParams()
  const feeds = feedsFor(fid)
  const name = params.get('feed') ?? 'newest'
  const feed = feeds[name] ?? feeds.newest!
  const { data: own } = useOwnLists()
  const isTags = name === 'tags'
  const listId = name.startsWith(LIST) ? name.slice(LIST.length) : undefined
  const isOwn = fid !== undefined && (isTags || listId !== undefined)
  const pathOf = (key: string) => (key === 'newest' ? '/' : `/?feed=${key}`)
  const tabs: Tab[] = [
    ...Object.entries(feeds).map(([key, { text }]) => ({ to: pathOf(key), text })),
    ...(own?.tags.length || (isOwn && isTags) ? [{ to: pathOf('tags'), text: t('Tags') }] : []),
    ...(own?.lists ?? []).map(({ id, name }) => ({
      to: pathOf(LIST + id),
      text: cleanName(name),
    })),
  ]
  const shown = isOwn ? name : Object.entries(feeds).find(([, one]) => one === feed)![0]
  const user = useOwnUser()
  const isSuspended = useIsSuspended()
  const [isNew, setNew] = useState(false)
  // Whoever begins to follow is still welcomed.
  if (!isNew && user?.following_count === 0) setNew(true)
  return (
    <>
      <Title>{t('Home')}</Title>
      <h1 className="unseen">{t('{Posts}')}</h1>
      {fid === undefined && (
        <Suspense>
          <FrontDoor />
        </Suspense>
      )}
      <Suspense>{isSuspended && <Suspended />}</Suspense>
      <Tabs label={t('Feeds')} tabs={tabs} current={pathOf(shown)} />
      <Suspense>{isNew && shown === 'newest' && <Welcome />}</Suspense>
      {isOwn ? (
        <Suspense fallback={<Loading what={t('Loading {posts}')} />}>
          <OwnFeed key={name} list={listId} />
        </Suspense>
      ) : (
        <FeedView key={feed.path} feed={feed} kind={name} />
      )}
    </>
  )
}

function FeedView({ feed, kind }: { feed: Feed; kind: string }) {
  const screen = useScreen<Page<'casts', Cast>, Page<'casts', Cast>>(feed.path, feed.query, {
    pageOf: (first) => first,
    more: () => feed,
  })
  if (screen.isPending) return <Loading what={t('Loading {posts}')} />
  if (!screen.first) return <Failed error={screen.error!} retry={screen.refetch} />
  const casts = screen.pages.flatMap((page) => page.casts)
  const empty =
    kind === 'following' ? (
      <Suspense>
        <FollowingNobody />
      </Suspense>
    ) : (
      <NothingYet kind={kind} />
    )
  return (
    <>
      <FromBefore {...screen} />
      {kind === 'trending' ? (
        <CastList casts={casts} pages={screen} empty={empty} isPublic />
      ) : (
        <GrowingFeed casts={casts} screen={screen} isLive={kind === 'newest'} empty={empty} />
      )}
    </>
  )
}

type GrowingProps = {
  casts: readonly Cast[]
  screen: Parameters<typeof CastList>[0]['pages'] & CastsOnScreen
  isLive: boolean
  empty: ReactNode
}

/** A feed that says when there are newer casts. */
function GrowingFeed({ casts, screen, isLive, empty }: GrowingProps) {
  const news = useNewCasts({ list: screen, isLive })
  return (
    <>
      {isLive && <LiveMark state={news.state} />}
      <CastList casts={casts} news={news} pages={screen} empty={empty} isPublic={isLive} />
    </>
  )
}

function NothingYet({ kind }: { kind: string }) {
  const { fid } = useSession()
  if (kind === 'channels') {
    return (
      <Empty
        icon="channel"
        heading={t('{Posts} of channels that you follow appear here')}
        action={{ text: t('Find channels'), to: '/channels' }}
      />
    )
  }
  if (kind === 'trending') {
    return (
      <Empty
        icon="heart"
        heading={t('No {post} was liked lately')}
        action={{ text: t('Read what is new'), to: '/' }}
      />
    )
  }
  const action =
    fid === undefined
      ? { text: t('Join'), to: '/join' }
      : { text: t('Write the first'), to: '/compose' }
  return <Empty icon="pen" heading={t('Nobody has written {aPost} yet')} action={action} />
}
