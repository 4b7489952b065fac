import { useEffect, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { NOTICE_KINDS, type NoticeGroup } from '../../../src/kernel/storage/views/notice-kinds.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { CastActions } from '../act/cast-actions.tsx'
import { useScreen } from '../api.ts'
import { OwnInvite } from '../channels/own-invite.tsx'
import { firstPicture } from '../media/pictures-in.ts'
import { AppNotices } from '../miniapps/notices.tsx'
import { FromModerators } from '../moderation/from-moderators.tsx'
import { castPath } from '../parts/cast.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { type NoticeRow, noticeRows } from '../parts/notice-rows.ts'
import { NOTICE_TEXTS } from '../parts/notice-text.tsx'
import { Name, nameOf, Portrait, personPath } from '../parts/person.tsx'
import { Empty, Failed, FromBefore, Loading, Shown } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast, NameChange, Notification, NotificationsScreen, Page, User } from '../types.ts'
import { useMarkSeen } from '../unread.ts'
import './notifications.css'

type Notifications = Page<'notifications', Notification>

export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Notifications')}</Title>
      {fid === undefined ? <SignInFirst /> : <List key={fid} fid={fid} />}
    </>
  )
}

const SignInFirst = () => (
  <Shown isScreen icon="bell" heading={t('Notifications are for people with an account')}>
    <p>{t('When you are signed in, replies, mentions, likes and new followers appear here.')}</p>
    <p>
      <Link to="/join?back=%2Fnotifications" className="primary">
        {t('Join or sign in')}
      </Link>
    </p>
  </Shown>
)

/** By their names in the address: which kinds of the app API each has. */
const FILTERS = {
  all: { text: t('All'), types: undefined },
  replies: { text: t('Replies'), types: ['replies', 'mentions'] },
  likes: { text: t('Likes'), types: ['likes'] },
  reposts: { text: t('{Reposts}'), types: ['recasts', 'quotes'] },
  follows: { text: t('Follows'), types: ['follows'] },
} as const satisfies Record<string, { text: string; types: readonly NoticeGroup[] | undefined }>
type Filter = keyof typeof FILTERS

const PATH = '/notifications'
const pathOf = (filter: string) => (filter === 'all' ? PATH : `${PATH}?kind=${filter}`)
const TABS = Object.entries(FILTERS).map(([name, { text }]) => ({ to: pathOf(name), text }))

function List({ fid }: { fid: number }) {
  const [params] = useSearchParams()
  const asked = params.get('kind') ?? 'all'
  const filter: Filter = asked in FILTERS ? (asked as Filter) : 'all'
  return (
    <>
      <header className="screen-head">
        <h1>{t('Notifications')}</h1>
        <Link to="/notifications/settings" className="icon-button" aria-label={t('Settings')}>
          <Icon name="settings" />
        </Link>
      </header>
      <Tabs label={t('Kinds of notifications')} tabs={TABS} current={pathOf(filter)} />
      <Entries key={filter} fid={fid} filter={filter} />
    </>
  )
}

function Entries({ fid, filter }: { fid: number; filter: Filter }) {
  const isAll = filter === 'all'
  const query = { fid, type: FILTERS[filter].types?.join(',') }
  const screen = useScreen<NotificationsScreen, Notifications>('/screen/notifications', query, {
    pageOf: (first) => first,
    more: () => ({ path: PATH, query }),
    isAskedAgain: true,
  })
  const unseen = screen.first?.unseen_notifications_count ?? 0
  const markSeen = useMarkSeen()
  // Those that were new stay marked as such while the screen is open. Who looks at one kind has not seen the others.
  useEffect(() => {
    if (isAll && unseen > 0) markSeen().catch(() => {})
  }, [isAll, unseen, markSeen])
  if (screen.isPending) return <Loading what={t('Loading notifications')} />
  if (!screen.first) return <Failed error={screen.error!} retry={screen.refetch} />
  const rows = noticeRows(screen.pages.flatMap((page) => page.notifications))
  const { received_name: received, invites, users } = screen.first
  return (
    <>
      <FromBefore {...screen} />
      {isAll && (
        <>
          <FromModerators />
          {invites.map((invite) => (
            <OwnInvite key={`${invite.channel_id} ${invite.role}`} invite={invite} />
          ))}
          <AppNotices />
          {received && <Received change={received} users={users} />}
        </>
      )}
      {rows.length === 0 && !(isAll && received) && <NothingYet isAll={isAll} />}
      {rows.map(({ one, count }) => (
        <Row
          key={`${one.type} ${one.most_recent_timestamp} ${one.cast?.hash}`}
          one={one}
          count={count}
        />
      ))}
      <MoreButton {...screen} />
    </>
  )
}

const NothingYet = ({ isAll }: { isAll: boolean }) =>
  isAll ? (
    <Empty
      icon="bell"
      heading={t('Who writes and answers others hears from them here')}
      action={{ text: t('Read what is new'), to: '/' }}
    />
  ) : (
    <Empty
      icon="bell"
      heading={t('None of this kind yet')}
      action={{ text: t('All notifications'), to: PATH }}
    />
  )

const MAX_FACES = 6

/** One notification: who, what and when in one line, and what it is about. */
function Row({ one, count }: NoticeRow) {
  const { bundle, icon } = NOTICE_KINDS[one.type]
  const isCast = bundle === 'cast'
  const users: User[] = isCast
    ? one.cast
      ? [one.cast.author]
      : []
    : [...(one.follows ?? []), ...(one.reactions ?? [])].map(({ user }) => user)
  const [first] = users
  if (!first) return null
  const others = isCast ? 0 : (one.count ?? users.length) - 1
  const who = (
    <Link to={personPath(first)} className="byline">
      <Name user={first} />
    </Link>
  )
  return (
    <article className={one.seen ? 'row notice-row' : 'row notice-row unread'}>
      <Link to={personPath(first)} className="notice-face" tabIndex={-1} aria-hidden="true">
        <Portrait user={first} />
        <span className={`notice-sign count-${icon}`}>
          <Icon name={icon} />
        </span>
      </Link>
      <div className="row-text">
        <div className="notice-line">
          <p>
            {NOTICE_TEXTS[one.type]({ who, others, count })}
            {!one.seen && <span className="unseen"> {t('(new)')}</span>}
          </p>
          <span className="muted">
            <Time at={one.most_recent_timestamp} />
          </span>
        </div>
        {users.length > 1 && (
          <span className="faces">
            {users.slice(1, MAX_FACES + 1).map((user) => (
              <Link key={user.fid} to={personPath(user)}>
                <Portrait user={user} size="s" />
                <span className="unseen">{nameOf(user)}</span>
              </Link>
            ))}
          </span>
        )}
        {one.cast && <About cast={one.cast} isMuted={!isCast} />}
        {one.cast && isCast && <CastActions cast={one.cast} />}
      </div>
    </article>
  )
}

/** What it is about: the text, and the first picture in small. */
function About({ cast, isMuted }: { cast: Cast; isMuted: boolean }) {
  const picture = firstPicture(cast.embeds)
  const [isLost, setLost] = useState(false)
  return (
    <Link to={castPath(cast)} className={isMuted ? 'notice-about muted' : 'notice-about'}>
      <span className="clamp" dir="auto">
        {cleanText(cast.text) || t('{Post} without text')}
      </span>
      {picture && !isLost && (
        <span className={picture.isSensitive ? 'notice-picture blurred' : 'notice-picture'}>
          <img
            src={picture.src}
            alt={picture.isSensitive ? t('Picture, marked as sensitive') : picture.alt}
            loading="lazy"
            decoding="async"
            onError={() => setLost(true)}
          />
        </span>
      )}
    </Link>
  )
}

/** A name that another account transferred to the user, who may make it the username. */
const Received = ({ change, users }: { change: NameChange; users: readonly User[] }) => {
  const giver = users.find(({ fid }) => fid === change.from_fid)
  const name = (
    <Link to={`/name/${encodeURIComponent(change.name)}`}>
      <bdi>{change.name}</bdi>
    </Link>
  )
  return (
    <article className="row unread">
      <span className="notice-icon">
        <Icon name="person" />
      </span>
      <div className="row-text">
        <p>
          {giver
            ? rich(
                '{giver} gave you the name {name}. To use it, make it your username in your profile.',
                {
                  giver: (
                    <Link to={personPath(giver)} className="byline">
                      <Name user={giver} />
                    </Link>
                  ),
                  name,
                },
              )
            : rich(
                'The registry gave you the name {name}. To use it, make it your username in your profile.',
                { name },
              )}{' '}
          <span className="muted">
            <Time at={change.timestamp} />
          </span>
        </p>
      </div>
    </article>
  )
}
