import { useEffect, useRef } from 'react'
import { Link, NavLink, useLocation } from 'react-router'
import { Bird } from '../../shared/bird.tsx'
import { face } from '../../shared/face.ts'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { AccountBox } from '../act/account-box.tsx'
import { useModeratorQueue, useOwnRole } from '../moderation/calls.ts'
import { useOwnUser } from '../parts/discover.tsx'
import { personPath } from '../parts/person.tsx'
import { useSession } from '../session/session.tsx'
import { unreadText, useUnread } from '../unread.ts'
import { isDevelopment } from './development-panel.tsx'
import { MirrorLine } from './mirror-line.tsx'

type Entry = { to: string; icon: IconName; text: string; waiting?: number }

const MAIN: readonly Entry[] = [
  { to: '/', icon: 'home', text: 'Home' },
  { to: '/search', icon: 'search', text: 'Explore' },
  { to: '/channels', icon: 'channel', text: 'Channels' },
  { to: '/notifications', icon: 'bell', text: 'Notifications' },
]

/** Wide windows have these helpers beside the content. */
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
          {DEVELOPMENT.map((entry) => (
            <li key={entry.to} className="without-aside">
              <Item {...entry} />
            </li>
          ))}
        </ul>
        <MenuButton />
        <AccountBox />
      </div>
      <Foot />
    </nav>
  )
}

const MenuButton = () => (
  <button type="button" className="nav-item menu-button" popoverTarget="menu">
    <Icon name="dots" />
    <span className="nav-text">More</span>
  </button>
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

/** What is needed less, on phones and tablets. Following a link closes it. */
export function Menu() {
  const { key } = useLocation()
  const menu = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has a key of its own
  useEffect(() => menu.current?.hidePopover?.(), [key])
  return (
    <nav ref={menu} id="menu" popover="auto" className="menu" aria-label="More">
      {[...useOwn(), ...DEVELOPMENT].map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <AccountBox />
      <Foot />
    </nav>
  )
}

const Item = ({ to, icon, text, waiting = 0 }: Entry) => (
  <NavLink to={to} end={to === '/'} className="nav-item">
    <span className="nav-icon">
      <Icon name={icon} />
      {to === '/notifications' && <Unread />}
      {waiting > 0 && <Count count={waiting} what="waiting" />}
    </span>
    <span className="nav-text">{text}</span>
  </NavLink>
)

/** How many notifications are new. */
function Unread() {
  const count = useUnread()
  return count === 0 ? null : <Count count={count} what="new" />
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
    { to: '/settings', icon: 'settings', text: 'Settings' },
    ...(waiting === undefined
      ? []
      : [{ to: '/moderate', icon: 'shield', text: 'Moderate', waiting } as const]),
  ]
}

function Foot() {
  const { fid } = useSession()
  const role = useOwnRole()
  return (
    <div className="nav-foot">
      {fid === undefined && <Link to="/settings">Settings</Link>}
      <Link to="/help">Help</Link>
      <Link to="/about">About</Link>
      {role === 'operator' && <a href="/room">Operator's room</a>}
    </div>
  )
}
