import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Link, ScrollRestoration, useLocation, useNavigation } from 'react-router'
import { Bird } from '../../shared/bird.tsx'
import { face } from '../../shared/face.ts'
import { t } from '../../shared/messages.ts'
import { JoinOrWrite } from '../act/account-box.tsx'
import { Notices } from '../act/notices.tsx'
import { useWriting } from '../act/writing.ts'
import { useRunning } from '../miniapps/launch.ts'
import { useSession } from '../session/session.tsx'
import { useIconBadge } from '../unread.ts'
import { Aside } from './aside.tsx'
import { Keyboard } from './keyboard.tsx'
import { BottomBar, Menu, SideBar } from './navigation.tsx'
import { SearchBox } from './search-box.tsx'
import { StorageNotice } from './storage-notice.tsx'
import { useReminder } from './use-reminder.ts'

const ComposeDialog = lazy(async () => {
  const { ComposeDialog } = await import('../act/compose-dialog.tsx')
  return { default: ComposeDialog }
})

const MiniAppDialog = lazy(async () => {
  const { MiniAppDialog } = await import('../miniapps/host/dialog.tsx')
  return { default: MiniAppDialog }
})

/** Both stand above Home alone. */
const Announcement = lazy(async () => ({
  default: (await import('./announcement.tsx')).Announcement,
}))
const WordsNotice = lazy(async () => ({
  default: (await import('./words-notice.tsx')).WordsNotice,
}))

/** The frame of all screens. */
export function Shell({ children }: { children: ReactNode }) {
  const main = useFocusOnNavigation()
  const isWriting = useWriting() !== undefined
  const isReminded = useReminder() === 'line'
  const isAppRunning = useRunning() !== undefined
  useIconBadge()
  useOwnLanguage()
  const isLoading = useNavigation().state !== 'idle'
  return (
    <>
      <a className="skip" href="#main">
        {t('Skip to the content')}
      </a>
      <div className="shell">
        <header className="masthead">
          <Link to="/" className="brand">
            {face.picture ? <img className="server-picture" src={face.picture} alt="" /> : <Bird />}
            <strong dir="auto">{face.name}</strong>
          </Link>
          <SearchBox />
          <JoinOrWrite />
        </header>
        <SideBar />
        <main id="main" ref={main} tabIndex={-1} aria-busy={isLoading}>
          <Suspense>{face.announcement !== '' && <Announcement />}</Suspense>
          <StorageNotice />
          <Suspense>{isReminded && <WordsNotice />}</Suspense>
          {children}
        </main>
        <Aside />
      </div>
      <Notices />
      <Keyboard />
      <Suspense>{isWriting && <ComposeDialog />}</Suspense>
      <Suspense>{isAppRunning && <MiniAppDialog />}</Suspense>
      <BottomBar />
      <Menu />
      <ScrollRestoration />
    </>
  )
}

/** The account may have another language than this browser. */
function useOwnLanguage(): void {
  const { fid } = useSession()
  useEffect(() => {
    if (fid === undefined) return
    import('../session/language.ts')
      .then(({ followLanguage }) => followLanguage(fid))
      .catch(() => {})
  }, [fid])
}

/** After a link was followed, screen readers and the keyboard go on at the content, or in the field that one writes in. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (main.current?.querySelector('textarea:focus')) return
    main.current?.focus({ preventScroll: true })
  }, [pathname])
  return main
}
