import { Link, NavLink } from 'react-router'
import { Icon, type IconName } from '../../shared/icons.tsx'
import { AccountBox } from '../act/account-box.tsx'
import { useSession } from '../session/session.tsx'
import { Bird } from './bird.tsx'
import { isDevelopment } from './development-panel.tsx'
import { MirrorLine } from './mirror-line.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

type Entry = { to: string; icon: IconName; text: string }

const MAIN: readonly Entry[] = [
  { to: '/', icon: 'home', text: 'Home' },
  { to: '/search', icon: 'search', text: 'Search' },
  { to: '/channels', icon: 'channel', text: 'Channels' },
  { to: '/notifications', icon: 'bell', text: 'Notifications' },
]
const MORE: readonly Entry[] = [
  { to: '/names', icon: 'tag', text: 'Names' },
  { to: '/events', icon: 'pulse', text: 'Events' },
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
          <Bird />
          <strong>Rookery</strong>
        </Link>
        <MirrorLine />
        <ul>
          {[...MAIN, ...useOwn(), ...MORE].map((entry) => (
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
        <AccountBox />
      </div>
      <Foot />
    </nav>
  )
}

/** Below the content on phones; what is needed less is in a menu. */
export function BottomBar() {
  return (
    <nav className="bottombar" aria-label="Main">
      {MAIN.map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <button type="button" className="nav-item" popoverTarget="menu">
        <Icon name="menu" />
        <span>More</span>
      </button>
      <div id="menu" popover="auto" className="menu">
        {[...useOwn(), ...MORE, ...DEVELOPMENT].map((entry) => (
          <Item key={entry.to} {...entry} />
        ))}
        <AccountBox />
        <Foot />
      </div>
    </nav>
  )
}

const hideMenu = () => document.getElementById('menu')?.hidePopover?.()

const Item = ({ to, icon, text }: Entry) => (
  <NavLink to={to} end={to === '/'} className="nav-item" onClick={hideMenu}>
    <Icon name={icon} />
    <span>{text}</span>
  </NavLink>
)

const useOwn = (): Entry[] => {
  const { fid } = useSession()
  return fid === undefined ? [] : [{ to: `/@!${fid}`, icon: 'person', text: 'Profile' }]
}

const Foot = () => (
  <div className="nav-foot">
    <ThemeSwitch />
    <a href="/platform/~/apps">Connected apps</a>
    <a href="/docs">API reference</a>
  </div>
)
