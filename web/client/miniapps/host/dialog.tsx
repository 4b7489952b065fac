import { useEffect, useMemo, useRef, useState } from 'react'
import { Link, useBlocker, useLocation, useNavigate } from 'react-router'
import { Icon } from '../../../shared/icons.tsx'
import { t } from '../../../shared/messages.ts'
import { type BrowserKey, findKey } from '../../act/key-store.ts'
import { useSession } from '../../session/session.tsx'
import { domainOf } from '../domain.ts'
import { closeApp, type Launch, useLaunch, useRunning } from '../launch.ts'
import type { HostPorts } from './app-host.ts'
import { AppName, AppView } from './app-view.tsx'
import { useAppHost } from './use-app-host.ts'
import './host.css'

/** The app that runs, over the screen. While its user reads a screen of the client, a line below leads back. */
export function MiniAppDialog() {
  const launch = useRunning()
  const { fid } = useSession()
  const [key, setKey] = useState<BrowserKey>()
  useEffect(() => {
    setKey(undefined)
    if (fid !== undefined) findKey(fid).then(setKey)
  }, [fid])
  if (!launch || !key || key.fid !== fid) return null
  return <Running key={`${launch.id} ${fid}`} launch={launch} browserKey={key} />
}

function Running({ launch, browserKey }: { launch: Launch; browserKey: BrowserKey }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const open = useLaunch()
  const { state: placeState } = useLocation()
  const isShown = placeState?.miniApp === launch.id
  /** Whether the user reads a screen that the app has opened. */
  const isAway = useRef(false)
  /** The step of the history may come after the app. */
  const wasShown = useRef(false)
  const close = () => {
    closeApp(launch)
    if (isShown) navigate(-1)
  }
  const showPage: HostPorts['showPage'] = (path, { closes = false } = {}) => {
    isAway.current = !closes
    if (closes) closeApp(launch)
    // An app that is closed leaves no step of the history.
    navigate(path, { replace: closes && isShown })
  }
  const ports = { launch, browserKey, close, showPage, openApp: open }
  const { host, state, app } = useAppHost(ports)
  // The step of the history that shows the app decides what is seen.
  useEffect(() => {
    if (isShown) {
      isAway.current = false
      wasShown.current = true
      if (!dialog.current?.open) dialog.current?.showModal()
    } else if (isAway.current) dialog.current?.close()
    else if (wasShown.current) closeApp(launch)
  }, [isShown, launch])
  // An app with pages of its own is told, in place of being closed.
  const blocker = useBlocker(
    ({ historyAction }) => historyAction === 'POP' && isShown && state.isBackVisible,
  )
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    blocker.reset()
    host.emit({ event: 'back_navigation_triggered' })
  }, [blocker, host])
  const domain = domainOf(launch.url)
  const back = useMemo(() => ({ state: { miniApp: launch.id } }), [launch.id])
  return (
    <>
      <dialog
        ref={dialog}
        className="mini-app-dialog"
        aria-label={t('Mini app {name}', { name: app?.name ?? launch.name ?? domain })}
        onCancel={(event) => {
          event.preventDefault()
          if (state.prompt) state.prompt.answer(undefined)
          else close()
        }}
      >
        <AppView host={host} state={state} app={app} />
      </dialog>
      {!isShown && wasShown.current && (
        <aside className="mini-app-line" aria-label={t('Running mini app')}>
          <Link to="." {...back} className="mini-app-return">
            <AppName app={app} launch={launch} />
            <span>{t('Return')}</span>
          </Link>
          <button
            type="button"
            className="icon-button"
            aria-label={t('Close {domain}', { domain })}
            onClick={() => closeApp(launch)}
          >
            <Icon name="cross" />
          </button>
        </aside>
      )}
    </>
  )
}
