import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../../shared/icons.tsx'
import { t } from '../../../shared/messages.ts'
import { cleanName } from '../../../shared/text.ts'
import { Picture } from '../../parts/picture.tsx'
import type { MiniAppDetails } from '../calls.ts'
import { aboutPath, domainOf } from '../domain.ts'
import type { Launch } from '../launch.ts'
import type { AppHost, HostState } from './app-host.ts'
import { PromptSheet } from './prompt-sheet.tsx'

type Props = {
  readonly host: AppHost
  readonly state: HostState
  readonly app: MiniAppDetails | undefined
}

/** A running app with what the host shows around it. Its domain is always there. */
export function AppView({ host, state, app }: Props) {
  const { launch, domain, close } = host.ports
  const frame = useRef<HTMLIFrameElement>(null)
  const { prompt } = state
  useEffect(() => {
    if (!prompt) host.focus()
  }, [prompt, host])
  return (
    <div className="mini-app">
      <div className="mini-app-bar">
        {state.isBackVisible && (
          <button
            type="button"
            className="icon-button"
            aria-label={t('Back in the app')}
            onClick={() => host.emit({ event: 'back_navigation_triggered' })}
          >
            <Icon name="back" />
          </button>
        )}
        <AppName app={app} launch={launch} />
        <Link
          to={aboutPath(domain)}
          className="icon-button"
          aria-label={t('About this app')}
          onClick={(event) => {
            event.preventDefault()
            host.ports.showPage(aboutPath(domain))
          }}
        >
          <Icon name="dots" />
        </Link>
        <button
          type="button"
          className="icon-button"
          aria-label={t('Close the app')}
          onClick={close}
        >
          <Icon name="cross" />
        </button>
      </div>
      <div className="mini-app-stage">
        <iframe
          ref={frame}
          className="mini-app-frame"
          title={t('{name}, at {domain}', { name: app?.name ?? domain, domain })}
          src={`/frame/${encodeURIComponent(domain)}`}
          allow="clipboard-write"
          inert={prompt !== undefined || state.phase === 'blocked'}
          onLoad={({ currentTarget: { contentWindow } }) =>
            contentWindow && host.start(contentWindow)
          }
        />
        {state.phase !== 'shown' && <Splash host={host} state={state} app={app} />}
        {prompt && <PromptSheet key={prompt.id} host={host} prompt={prompt} app={app} />}
      </div>
      {state.button && (
        <div className="mini-app-foot">
          <button
            type="button"
            className="primary"
            disabled={state.button.isDisabled || state.button.isLoading}
            aria-busy={state.button.isLoading}
            onClick={() => host.emit({ event: 'primary_button_clicked' })}
          >
            {cleanName(state.button.text)}
          </button>
        </div>
      )}
    </div>
  )
}

type NameProps = { readonly app: MiniAppDetails | undefined; readonly launch: Launch }

export function AppName({ app, launch }: NameProps) {
  const domain = domainOf(launch.url)
  const name = cleanName(app?.name ?? launch.name ?? '')
  return (
    <span className="mini-app-name">
      <Picture
        url={app?.iconUrl}
        width={96}
        alt=""
        className="mini-app-icon"
        fallback={<span className="mini-app-icon" />}
      />
      <span className="mini-app-words">
        {name && <bdi className="mini-app-title">{name}</bdi>}
        <bdi className="mini-app-domain">{domain}</bdi>
      </span>
    </span>
  )
}

const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Until the app says that it is ready. It is never closed by itself. */
function Splash({ host, state, app }: Props) {
  const { launch, domain } = host.ports
  const color = launch.splashBackgroundColor ?? app?.splashBackgroundColor ?? ''
  const picture = launch.splashImageUrl ?? app?.splashImageUrl ?? app?.iconUrl
  const splash = useRef<HTMLDivElement>(null)
  // Set by script: the policy of the page allows no inline styles.
  useEffect(() => {
    if (splash.current) splash.current.style.backgroundColor = COLOR.test(color) ? color : ''
  }, [color])
  if (state.phase === 'loading') {
    return (
      <div ref={splash} className="mini-app-splash">
        <Picture url={picture} width={192} alt="" className="mini-app-splash-picture" />
        <span className="mini-app-busy" role="status">
          <span className="spinner" aria-hidden="true" />
          <span>{t('Opening {domain} …', { domain })}</span>
        </span>
      </div>
    )
  }
  const isBlocked = state.phase === 'blocked'
  return (
    <div ref={splash} className="mini-app-splash mini-app-late" role="alert">
      <div className="mini-app-note">
        <h2>
          {isBlocked
            ? t('{domain} was stopped', { domain })
            : t('{domain} has not said that it is ready', { domain })}
        </h2>
        {(isBlocked || host.ports.isDevelopment) && state.cause && <p>{state.cause}</p>}
        <p className="mini-app-choices">
          {!isBlocked && (
            <button type="button" className="primary" onClick={() => host.show()}>
              {t('Show it')}
            </button>
          )}
          <button type="button" className="secondary" onClick={host.ports.close}>
            {t('Close')}
          </button>
        </p>
      </div>
    </div>
  )
}
