import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { Bird } from '../../shared/bird.tsx'
import { face } from '../../shared/face.ts'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { AccountBox } from '../act/account-box.tsx'
import { useOwnUser } from '../parts/discover.tsx'
import { handleOf, nameOf, Portrait } from '../parts/person.tsx'
import { MirrorLine } from './mirror-line.tsx'
import { type Entry, Item, Mark, useOwn, Waiting } from './nav-item.tsx'
import { useReminder } from './use-reminder.ts'

const loadItems = () => import('./frame-menu.tsx')
const MenuItems = lazy(loadItems)
const prepare = () => void loadItems().catch(() => {})

const MAIN: readonly Entry[] = [
  { to: '/', icon: 'home', text: t('Home') },
  { to: '/search', icon: 'search', text: t('Explore') },
  { to: '/channels', icon: 'channel', text: t('Channels') },
  { to: '/notifications', icon: 'bell', text: t('Notifications') },
]

/** Beside the content, where there is room. */
export function SideBar() {
  return (
    <nav className="sidebar" aria-label={t('Main')}>
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

/** Opens the menu. Alone, it stands for what is in it. Beside the content it is the face of who acts. */
function MenuButton({ isAlone = false }: { isAlone?: boolean }) {
  const user = useOwnUser()
  const isDue = useReminder() === 'mark'
  return (
    <button
      type="button"
      className="nav-item menu-button"
      popoverTarget="menu"
      onPointerEnter={prepare}
      onFocus={prepare}
    >
      <span className="nav-icon">
        {user ? <Portrait user={user} size="s" /> : <Icon name="dots" />}
        {isAlone && <Waiting />}
        {isDue && <Mark />}
      </span>
      <span className="nav-text">
        {user && (
          <>
            <bdi className="name">{nameOf(user)}</bdi>{' '}
            <bdi className="handle">{handleOf(user)}</bdi>
          </>
        )}
        <span className="menu-word">{t('More')}</span>
      </span>
    </button>
  )
}

/** Below the content on phones. */
export function BottomBar() {
  return (
    <nav className="bottombar" aria-label={t('Main')}>
      {MAIN.map((entry) => (
        <Item key={entry.to} {...entry} />
      ))}
      <MenuButton isAlone />
    </nav>
  )
}

/** What is needed less. Following a link closes it. */
export function Menu() {
  const { key } = useLocation()
  const menu = useRef<HTMLElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => menu.current?.hidePopover?.()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has a key of its own
  useEffect(close, [key])
  return (
    <nav
      ref={menu}
      id="menu"
      popover="auto"
      className="menu"
      aria-label={t('More')}
      onToggle={({ newState }) => setOpen(newState === 'open')}
    >
      <Suspense fallback={<p className="nav-item">{t('Loading …')}</p>}>
        {isOpen && <MenuItems close={close} />}
      </Suspense>
    </nav>
  )
}
