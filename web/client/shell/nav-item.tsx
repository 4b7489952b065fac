import { NavLink } from 'react-router'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { useNewChannels } from '../channels/new-in-channels.ts'
import { useModeratorQueue } from '../moderation/calls.ts'
import { useOwnUser } from '../parts/discover.tsx'
import { personPath } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import { unreadText, useUnread } from '../unread.ts'

export type Entry = { to: string; icon: IconName; text: string; waiting?: number; isDue?: boolean }

/** An entry of a navigation. */
export const Item = ({ to, icon, text, waiting = 0, isDue = false }: Entry) => (
  <NavLink to={to} end={to === '/'} className="nav-item">
    <span className="nav-icon">
      <Icon name={icon} />
      {to === '/notifications' && <Unread />}
      {to === '/channels' && <NewChannels />}
      {waiting > 0 && (
        <Count count={waiting} text={t('{unread} waiting', { unread: unreadText(waiting) })} />
      )}
      {isDue && <Mark />}
    </span>
    <span className="nav-text">{text}</span>
  </NavLink>
)

/** How many notifications are new. */
function Unread() {
  const count = useUnread()
  return count === 0 ? null : (
    <Count count={count} text={t('{unread} new', { unread: unreadText(count) })} />
  )
}

/** In how many of the own channels something is new. */
function NewChannels() {
  const count = useNewChannels()
  return count === 0 ? null : (
    <Count count={count} text={t('{unread} with new {posts}', { unread: unreadText(count) })} />
  )
}

/** What waits for who moderates. */
export function Waiting() {
  const count = useModeratorQueue() ?? 0
  return count === 0 ? null : (
    <Count count={count} text={t('{unread} waiting', { unread: unreadText(count) })} />
  )
}

const Count = ({ count, text }: { count: number; text: string }) => (
  <span className="unread-count">
    <span aria-hidden="true">{unreadText(count)}</span>
    <span className="unseen">{text}</span>
  </span>
)

/** At the way to what waits in the settings. */
export const Mark = () => (
  <span className="due">
    <span className="unseen">{t('Save your recovery words')}</span>
  </span>
)

/** The entries of who acts. */
export const useOwn = (): Entry[] => {
  const { fid } = useSession()
  const user = useOwnUser()
  const waiting = useModeratorQueue()
  if (fid === undefined) return []
  const profile = user ? personPath(user) : `/@!${fid}`
  return [
    { to: profile, icon: 'person', text: t('Profile') },
    { to: '/bookmarks', icon: 'bookmark', text: t('Bookmarks') },
    ...(waiting === undefined
      ? []
      : [{ to: '/moderate', icon: 'shield', text: t('Moderate'), waiting } as const]),
  ]
}
