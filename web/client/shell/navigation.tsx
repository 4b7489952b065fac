import { useEffect, useRef } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { Bird } from '../../shared/bird.tsx'
import { face } from '../../shared/face.ts'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { words } from '../../shared/words.ts'
import { AccountBox } from '../act/account-box.tsx'
import { clearOverrides } from '../act/overrides.ts'
import { useNewChannels } from '../channels/own-channels.ts'
import { useModeratorQueue, useOwnRole } from '../moderation/calls.ts'
import { useOwnUser } from '../parts/discover.tsx'
import { handleOf, nameOf, Portrait, personPath } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import { unreadText, useUnread } from '../unread.ts'
import { isDevelopment } from './development-panel.tsx'
import { MirrorLine } from './mirror-line.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { useReminder } from './use-reminder.ts'

type Entry = { to: string; icon: IconName; text: string; waiting?: number; isDue?: boolean }

const MAIN: readonly Entry[] = [
  { to: '/', icon: 'home', text: 'Home' },
  { to: '/search', icon: 'search', text: 'Explore' },
  { to: '/channels', icon: 'channel', text: 'Channels' },
  { to: '/notifications', icon: 'bell', text: 'Notifications' },
]

/** Wide windows have these helpers beside the content; others have them in the menu. */
const DEVELOPMENT: readonly Entry[] = isDevelopment()
  ? [{ to: '/development', icon: 'wrench', text: 'Development' }]
  : []

/** Beside the content, where there is room. */
export function SideBar() {
  return (
    <nav className="sidebar" aria-label="Main">
      <div>
        <Link to="/" className="brand">
          {face.picture ? <img className="server-picture" src={face.picture} alt="" /> : <Bird />}
          <strong dir="auto">{face.name}</strong>
        </Link>
        <MirrorLine />
        <ul>
          {[...MAIN, ...useOwn()].map((entry) => (
            <li key={entry.to}>
              <Item {...entry} />
            </li>
          ))}
        </ul>
        <AccountBox />
      </div>
      <MenuButton />
    </nav>
  )
}

/** Opens the menu. Beside the content it is the face of who acts. */
function MenuButton() {
  const user = useOwnUser()
  const isDue = useReminder() === 'mark'
  return (
    <button type="button" className="nav-item menu-button" popoverTarget="menu">
      <span className="nav-icon">
        {user ? <Portrait user={user} size="s" /> : <Icon name="dots" />}
        {isDue && <Mark />}
      </span>
      <span className="nav-text">
        {user && (
          <>
            <bdi className="name">{nameOf(user)}</bdi>{' '}
            <bdi className="handle">{handleOf(user)}</bdi>
          </>
        )}
        <span className="menu-word">More</span>
      </span>
    </button>
  )
}

/** At the way to what waits in the settings. */
const Mark = () => (
  <span className="due">
    <span className="unseen">Save your recovery words</span>
  </span>
)

/** Below the content on phones. */
export function BottomBar() {
  return (
    <nav className="bottombar" aria-label="Main">
      {MAIN.map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <MenuButton />
    </nav>
  )
}

/** The account, and what is needed less; on phones also what stands beside the content elsewhere. Following a link closes it. */
export function Menu() {
  const { key } = useLocation()
  const { fid, become } = useSession()
  const menu = useRef<HTMLElement>(null)
  const role = useOwnRole()
  const isDue = useReminder() === 'mark'
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has a key of its own
  useEffect(() => menu.current?.hidePopover?.(), [key])
  const signOut = () => {
    menu.current?.hidePopover()
    clearOverrides()
    become(undefined)
  }
  return (
    <nav ref={menu} id="menu" popover="auto" className="menu" aria-label="More">
      <Group className="phone-only" entries={useOwn()} />
      <Group className="without-aside" entries={DEVELOPMENT} />
      {fid !== undefined && <Item to="/account" icon="lock" text="My account" />}
      <Item to="/settings" icon="settings" text="Settings" isDue={isDue} />
      <ThemeSwitch className="nav-item" />
      <hr />
      <Item to="/help" icon="question" text="Help" />
      <Item to="/about" icon="info" text="About" />
      {role === 'operator' && (
        <a href="/room" className="nav-item">
          <Icon name="wrench" /> Operator's room
        </a>
      )}
      {fid !== undefined && (
        <>
          <hr />
          <button type="button" className="nav-item" onClick={signOut}>
            <Icon name="leave" /> Sign out
          </button>
        </>
      )}
    </nav>
  )
}

/** Entries that not every width needs here. */
function Group({ className, entries }: { className: string; entries: readonly Entry[] }) {
  if (entries.length === 0) return null
  return (
    <div className={className}>
      {entries.map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <hr />
    </div>
  )
}

const Item = ({ to, icon, text, waiting = 0, isDue = false }: Entry) => (
  <NavLink to={to} end={to === '/'} className="nav-item">
    <span className="nav-icon">
      <Icon name={icon} />
      {to === '/notifications' && <Unread />}
      {to === '/channels' && <NewChannels />}
      {waiting > 0 && <Count count={waiting} what="waiting" />}
      {isDue && <Mark />}
    </span>
    <span className="nav-text">{text}</span>
  </NavLink>
)

/** How many notifications are new. */
function Unread() {
  const count = useUnread()
  return count === 0 ? null : <Count count={count} what="new" />
}

/** In how many of the own channels something is new. */
function NewChannels() {
  const count = useNewChannels()
  return count === 0 ? null : <Count count={count} what={`with new ${words.posts}`} />
}

const Count = ({ count, what }: { count: number; what: string }) => (
  <span className="unread-count">
    {unreadText(count)}
    <span className="unseen"> {what}</span>
  </span>
)

const useOwn = (): Entry[] => {
  const { fid } = useSession()
  const user = useOwnUser()
  const waiting = useModeratorQueue()
  if (fid === undefined) return []
  const profile = user ? personPath(user) : `/@!${fid}`
  return [
    { to: profile, icon: 'person', text: 'Profile' },
    { to: '/bookmarks', icon: 'bookmark', text: 'Bookmarks' },
    ...(waiting === undefined
      ? []
      : [{ to: '/moderate', icon: 'shield', text: 'Moderate', waiting } as const]),
  ]
}
