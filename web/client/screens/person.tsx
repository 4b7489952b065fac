import { lazy, Suspense } from 'react'
import { Link, useParams } from 'react-router'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanName, cleanText } from '../../shared/text.ts'
import { ActionMenu, BlockButton } from '../act/action-menu.tsx'
import { FollowButton } from '../act/follow-button.tsx'
import { type More, useScreen } from '../api.ts'
import { useOwnRole } from '../moderation/calls.ts'
import { ModerateItem, MuteItem, ReportItem } from '../moderation/menu-items.tsx'
import { CastList } from '../parts/cast-list.tsx'
import { LinkedText, OutLink } from '../parts/cast-text.tsx'
import { Figure } from '../parts/figure.tsx'
import { NameChanges } from '../parts/name-changes.tsx'
import { FailedScreen, NotMirrored } from '../parts/not-mirrored.tsx'
import { PeopleList } from '../parts/people-list.tsx'
import { handleOf, Name, nameOf, Portrait, personPath } from '../parts/person.tsx'
import { Picture } from '../parts/picture.tsx'
import { type Action, Empty, Loading } from '../parts/states.tsx'
import { compactNumber, Tabs } from '../parts/tabs.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, PersonScreen, User } from '../types.ts'
import { NotFound } from './not-found.tsx'

const LISTS = ['casts', 'replies', 'likes', 'followers', 'following', 'names'] as const
type List = (typeof LISTS)[number]
const TEXTS: Record<List, string> = {
  casts: t('{Posts}'),
  replies: t('Replies'),
  likes: t('Likes'),
  followers: t('Followers'),
  following: t('Following', undefined, 'a tab: those whom somebody follows'),
  names: t('Names'),
}

const FOLLOWS_YOU = t('Follows you')

/** `/@raven`, `/@raven/followers` */
export function Component() {
  const { handle = '', list = 'casts' } = useParams()
  const isList = (LISTS as readonly string[]).includes(list)
  if (!/^@./.test(handle) || !isList) return <NotFound />
  return <Person key={handle} username={handle.slice(1)} list={list as List} />
}

type Rows = { casts: Cast[]; users: User[]; next: { cursor: string | null } }

/** A page of any of the lists; which one it is follows from what it has. */
// biome-ignore lint/suspicious/noExplicitAny: answers of several calls
function rowsOf(page: any): Rows {
  const { casts, reactions, users, next } = page
  return {
    casts: casts ?? reactions?.map(({ cast }: { cast: Cast }) => cast) ?? [],
    users: users?.map(({ user }: { user: User }) => user) ?? [],
    next,
  }
}

const NOTHING: Rows = { casts: [], users: [], next: { cursor: null } }
const firstRows = ({ casts, reactions, people }: PersonScreen): Rows =>
  casts || reactions || people ? rowsOf(casts ?? reactions ?? people) : NOTHING

function moreOf(list: List, fid: number, viewer: number | undefined): More {
  const query = { fid, viewer_fid: viewer }
  const calls: Record<List, More> = {
    casts: { path: '/feed/user/casts', query: { ...query, include_replies: false } },
    replies: { path: '/feed/user/replies_and_recasts', query: { ...query, filter: 'replies' } },
    likes: { path: '/reactions/user', query: { ...query, type: 'likes' } },
    followers: { path: '/followers', query },
    following: { path: '/following', query },
    names: { path: '/followers', query },
  }
  return calls[list]
}

function Person({ username, list }: { username: string; list: List }) {
  const { fid: viewer } = useSession()
  const role = useOwnRole()
  const query = { username, list, viewer_fid: viewer }
  const screen = useScreen<PersonScreen, Rows>('/screen/person', query, {
    pageOf: firstRows,
    readPage: rowsOf,
    more: ({ user }) => moreOf(list, user.fid, viewer),
  })
  if (screen.isPending) return <Loading isScreen what={t('Loading the profile')} />
  if (!screen.first) {
    return (
      <>
        <FailedScreen error={screen.error!} retry={screen.refetch} />
        <Suspense>{role && <HiddenAccount username={username} />}</Suspense>
      </>
    )
  }
  const { first } = screen
  const base = personPath(first.user)
  // Few look for earlier names: the details of the account lead to them.
  const shown = LISTS.filter((one) => one !== 'names' || list === 'names')
  const tabs = shown.map((one) => ({
    to: one === 'casts' ? base : `${base}/${one}`,
    text: TEXTS[one],
  }))
  return (
    <>
      <Title>{`${nameOf(first.user)} (${handleOf(first.user)})`}</Title>
      <Profile screen={first} base={base} />
      <Tabs label={t('Lists of this person')} tabs={tabs} current={tabs[shown.indexOf(list)]!.to} />
      {first.mirrored && <NotMirrored scope={first.mirrored} />}
      <Lists list={list} screen={screen} first={first} />
    </>
  )
}

type Loaded = Parameters<typeof CastList>[0]['pages'] & { pages: readonly Rows[] }

function Lists({ list, screen, first }: { list: List; screen: Loaded; first: PersonScreen }) {
  const who = handleOf(first.user)
  if (list === 'names') {
    return first.names.length > 0 ? (
      <NameChanges changes={first.names} users={[first.user]} />
    ) : (
      <Empty icon="tag" heading={t('{who} never had a name of this registry', { who })} />
    )
  }
  // Of others it is not known whether there is nothing.
  const empty = first.mirrored ? null : <Nothing list={list} user={first.user} />
  if (list === 'followers' || list === 'following') {
    const users = screen.pages.flatMap((page) => page.users)
    return <PeopleList users={users} pages={screen} empty={empty} />
  }
  const casts = screen.pages.flatMap((page) => page.casts)
  return <CastList casts={casts} pages={screen} empty={empty} />
}

type Emptiable = Exclude<List, 'names'>
const EMPTY: Record<Emptiable, { text: (who: string) => string; icon: IconName }> = {
  casts: { text: (who) => t('{who} has no {posts} yet', { who }), icon: 'pen' },
  replies: { text: (who) => t('{who} has not replied to anybody yet', { who }), icon: 'reply' },
  likes: { text: (who) => t('{who} has not liked {aPost} yet', { who }), icon: 'heart' },
  followers: { text: (who) => t('Nobody follows {who} yet', { who }), icon: 'person' },
  following: { text: (who) => t('{who} follows nobody yet', { who }), icon: 'person' },
}

const READ: Action = { text: t('Read what is new'), to: '/' }
/** What fills a list of one's own. */
const OWN_ACTIONS: Record<Emptiable, Action> = {
  casts: { text: t('Write the first'), to: '/compose' },
  replies: READ,
  likes: READ,
  followers: { text: t('Write something'), to: '/compose' },
  following: { text: t('Find people'), to: '/search' },
}

function Nothing({ list, user }: { list: Emptiable; user: User }) {
  const isOwn = useSession().fid === user.fid
  const { text, icon } = EMPTY[list]
  return (
    <Empty
      icon={icon}
      heading={text(handleOf(user))}
      {...(isOwn && { action: OWN_ACTIONS[list] })}
    />
  )
}

const DATE = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const dayOf = (at: string) => DATE.format(Date.parse(at))

function Profile({ screen, base }: { screen: PersonScreen; base: string }) {
  const { user, has_badge } = screen
  const { fid } = useSession()
  const role = useOwnRole()
  return (
    <header className="profile">
      <Picture url={user.profile.banner?.url} width={1280} alt="" className="profile-banner" />
      <Portrait user={user} size="l" />
      <div className="profile-name">
        <h1>
          <Name user={user} />
          {has_badge && (
            <span className="badge" title={t('Has a power badge')}>
              <Icon name="badge" />
              <span className="unseen">{t('Has a power badge')}</span>
            </span>
          )}
        </h1>
        <p className="muted">
          <bdi>{handleOf(user)}</bdi>
          {user.viewer_context?.followed_by && <span> · {FOLLOWS_YOU}</span>}
        </p>
      </div>
      {fid === user.fid ? (
        <div className="profile-acts">
          <Link to="/profile" className="secondary">
            {t('Edit profile')}
          </Link>
        </div>
      ) : (
        <div className="profile-acts">
          <FollowButton user={user} />
          <ActionMenu>
            {(close) => (
              <>
                <Suspense>{fid !== undefined && <ListItems user={user} done={close} />}</Suspense>
                <MuteItem target={{ fid: user.fid }} who={handleOf(user)} done={close} />
                <BlockButton user={user} done={close} />
                <ReportItem
                  query={`fid=${user.fid}`}
                  text={t('Report {who}', { who: handleOf(user) })}
                />
                {role && <ModerateItem fid={user.fid} />}
              </>
            )}
          </ActionMenu>
        </div>
      )}
      {user.profile.bio.text && (
        <p className="profile-bio" dir="auto">
          <LinkedText text={cleanText(user.profile.bio.text)} />
        </p>
      )}
      <Whereabouts screen={screen} />
      <ul className="figures">
        <Figure
          to={`${base}/following`}
          value={user.following_count}
          of={(amount, n) =>
            t('{n, plural, one {{amount} following} other {{amount} following}}', { amount, n })
          }
        />
        <Figure
          to={`${base}/followers`}
          value={user.follower_count}
          of={(amount, n) =>
            t('{n, plural, one {{amount} follower} other {{amount} followers}}', { amount, n })
          }
        />
        <Figure
          to={base}
          value={screen.cast_count}
          of={(amount, n) =>
            t('{n, plural, one {{amount} {post}} other {{amount} {posts}}}', { amount, n })
          }
        />
      </ul>
      <details className="about-account muted">
        <summary>
          {Date.parse(user.registered_at) > 0
            ? t('Joined {day}', { day: dayOf(user.registered_at) })
            : t('Details')}
        </summary>
        <p>
          {rich('Account number (fid) {fid}. {storage} <link>Names that it had</link>', {
            fid: String(user.fid),
            storage: storageText(screen),
            link: (inner) => <Link to={`${base}/names`}>{inner}</Link>,
          })}
        </p>
      </details>
    </header>
  )
}

/** Names an end only where storage ends. */
function storageText({ storage: { state, ends_at, pruned_from }, cast_capacity }: PersonScreen) {
  const room = t('Storage for {compactNumber} {posts}', {
    compactNumber: compactNumber(cast_capacity),
  })
  if (state === 'endless') return `${room}.`
  if (!ends_at || !pruned_from) return t('No storage is rented.')
  return state === 'active'
    ? t('{room} until {day}.', { room, day: dayOf(ends_at) })
    : t('Storage ended on {day}; messages are deleted on {day2}.', {
        day: dayOf(ends_at),
        day2: dayOf(pruned_from),
      })
}

const HiddenAccount = lazy(() => import('../moderation/hidden-account.tsx'))
const ListItems = lazy(() => import('../lists/list-items.tsx'))
const PlaceName = lazy(() => import('../places/place-name.tsx'))

/** Where to find a person, as the profile states it. */
function Whereabouts({ screen: { user, website } }: { screen: PersonScreen }) {
  const url = website === undefined ? undefined : webUrl(website)
  const { location } = user.profile
  if (!url && !website && !location) return null
  return (
    <ul className="whereabouts">
      {website && (
        <li>
          <Icon name="link" />
          <span className="unseen">{t('Website')}</span>
          {url ? <OutLink url={url} /> : <bdi>{cleanName(website)}</bdi>}
        </li>
      )}
      {location && (
        <li>
          <Icon name="place" />
          <span className="unseen">{t('Place')}</span>
          <Suspense fallback={placeText(location)}>
            <PlaceName {...location} otherwise={placeText(location)} />
          </Suspense>
        </li>
      )}
    </ul>
  )
}

/** `51.51° N, 0.08° W` */
const placeText = ({ latitude, longitude }: { latitude: number; longitude: number }): string =>
  `${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}`

const degrees = (value: number, positive: string, negative: string): string =>
  `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`
