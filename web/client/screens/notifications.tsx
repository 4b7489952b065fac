import { useEffect } from 'react'
import { Link } from 'react-router'
import { NOTICE_KINDS } from '../../../src/kernel/storage/views/notice-kinds.ts'
import { Icon } from '../../shared/icons.tsx'
import { cleanText } from '../../shared/text.ts'
import { useScreen } from '../api.ts'
import { OwnInvite } from '../channels/own-invite.tsx'
import { AppNotices } from '../miniapps/notices.tsx'
import { FromModerators } from '../moderation/from-moderators.tsx'
import { CastView } from '../parts/cast.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Name, nameOf, Portrait, personPath } from '../parts/person.tsx'
import { Empty, Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { NameChange, Notification, NotificationsScreen, Page, User } from '../types.ts'
import { useMarkSeen } from '../unread.ts'

type Notifications = Page<'notifications', Notification>

export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>Notifications</Title>
      {fid === undefined ? <SignInFirst /> : <List key={fid} fid={fid} />}
    </>
  )
}

const SignInFirst = () => (
  <Shown isScreen icon="bell" heading="Notifications are for people with an account">
    <p>When you are signed in, replies, mentions, likes and new followers appear here.</p>
    <p>
      <Link to="/join?back=%2Fnotifications" className="primary">
        Join or sign in
      </Link>
    </p>
  </Shown>
)

function List({ fid }: { fid: number }) {
  const query = { fid }
  const screen = useScreen<NotificationsScreen, Notifications>('/screen/notifications', query, {
    pageOf: (first) => first,
    more: () => ({ path: '/notifications', query }),
    isAskedAgain: true,
  })
  const unseen = screen.first?.unseen_notifications_count ?? 0
  const markSeen = useMarkSeen()
  // Those that were new stay marked as such while the screen is open.
  useEffect(() => {
    if (unseen > 0) markSeen().catch(() => {})
  }, [unseen, markSeen])
  if (screen.isPending) return <Loading isScreen what="Loading notifications" />
  if (!screen.first) return <Failed isScreen error={screen.error!} retry={screen.refetch} />
  const all = screen.pages.flatMap((page) => page.notifications)
  const { received_name: received, invites } = screen.first
  return (
    <>
      <header className="screen-head">
        <h1>Notifications</h1>
        <Link to="/notifications/settings" className="secondary">
          <Icon name="settings" /> Settings
        </Link>
      </header>
      <FromModerators />
      {invites.map((invite) => (
        <OwnInvite key={`${invite.channel_id} ${invite.role}`} invite={invite} />
      ))}
      <AppNotices />
      {received && <Received change={received} users={screen.first.users} />}
      {all.length === 0 && !received && <Empty heading="Nothing happened yet" />}
      {all.map((one) => (
        <Entry key={`${one.type} ${one.most_recent_timestamp} ${one.cast?.hash}`} one={one} />
      ))}
      <MoreButton {...screen} />
    </>
  )
}

function Entry({ one }: { one: Notification }) {
  const { bundle, icon, words } = NOTICE_KINDS[one.type]
  if (bundle === 'cast') {
    return one.cast ? (
      <div className={one.seen ? undefined : 'unread'}>
        <p className="notice-kind muted">
          <Icon name={icon} /> <bdi>{nameOf(one.cast.author)}</bdi> {words}
        </p>
        <CastView cast={one.cast} />
      </div>
    ) : null
  }
  return <Bundle one={one} />
}

/** A name that another account transferred to the user, who may make it the username. */
const Received = ({ change, users }: { change: NameChange; users: readonly User[] }) => {
  const giver = users.find(({ fid }) => fid === change.from_fid)
  return (
    <article className="row unread">
      <span className="notice-icon">
        <Icon name="person" />
      </span>
      <div className="row-text">
        <p>
          {giver ? (
            <Link to={personPath(giver)} className="byline">
              <Name user={giver} />
            </Link>
          ) : (
            'The registry'
          )}{' '}
          gave you the name{' '}
          <Link to={`/name/${encodeURIComponent(change.name)}`}>
            <bdi>{change.name}</bdi>
          </Link>
          . To use it, make it your username in your profile.{' '}
          <span className="muted">
            <Time at={change.timestamp} />
          </span>
        </p>
      </div>
    </article>
  )
}

/** Likes, recasts and follows that belong together. */
function Bundle({ one }: { one: Notification }) {
  const users: User[] = [
    ...(one.follows ?? []).map(({ user }) => user),
    ...(one.reactions ?? []).map(({ user }) => user),
  ]
  const [first] = users
  if (!first) return null
  const others = (one.count ?? users.length) - 1
  const { icon, words } = NOTICE_KINDS[one.type]
  return (
    <article className={one.seen ? 'row' : 'row unread'}>
      <span className={`notice-icon count-${icon}`}>
        <Icon name={icon} />
      </span>
      <div className="row-text">
        <span className="faces">
          {users.slice(0, MAX_FACES).map((user) => (
            <Link key={user.fid} to={personPath(user)}>
              <Portrait user={user} size="s" />
              <span className="unseen">{nameOf(user)}</span>
            </Link>
          ))}
        </span>
        <p>
          <Link to={personPath(first)} className="byline">
            <Name user={first} />
          </Link>
          {others > 0 && ` and ${others} ${others === 1 ? 'other' : 'others'}`} {words}{' '}
          <span className="muted">
            <Time at={one.most_recent_timestamp} />
          </span>
        </p>
        {one.cast && (
          <Link to={`/cast/${one.cast.hash}`} className="muted clamp" dir="auto">
            {cleanText(one.cast.text) || 'A cast without text'}
          </Link>
        )}
      </div>
    </article>
  )
}

const MAX_FACES = 8
