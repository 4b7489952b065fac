import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'react-router'
import { t } from '../../../shared/messages.ts'
import { Notice } from '../../../shared/page.tsx'
import { cleanName, listText } from '../../../shared/text.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { Title } from '../../parts/title.tsx'
import { AppIcon } from '../app-parts.tsx'
import { getApp, getTerms, type MiniAppDetails } from '../calls.ts'
import { aboutPath, domainOf } from '../domain.ts'
import { missingFor } from '../host/capabilities.ts'
import { type Opening, useLaunch } from '../launch.ts'
import { useKey } from '../use-key.ts'
import './screens.css'

/**
 * An app at an address of its own. A link from elsewhere opens nothing by itself, because the app would learn who follows it;
 * a press in this client and an app that the viewer has added do.
 */
export function Component() {
  const { domain = '' } = useParams()
  const key = useKey()
  const found = useQuery({
    queryKey: ['mini app to open', domain, key?.fid],
    queryFn: async () => ({ app: await getApp(domain, key ?? undefined), terms: await getTerms() }),
    select: ({ app, terms }) => ({ app, missing: missingFor(app.manifest, terms.chains) }),
    enabled: key !== undefined,
    retry: false,
  })
  if (found.isPending) return <Loading what={t('Loading the app')} rows={1} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} isScreen />
  return <Ready app={found.data.app} missing={found.data.missing} />
}

function Ready({ app, missing }: { app: MiniAppDetails; missing: readonly string[] }) {
  const [params] = useSearchParams()
  const { state } = useLocation()
  const launch = useLaunch()
  const given = params.get('url')
  // Another address of the same app only.
  const url = given && URL.canParse(given) && domainOf(given) === app.domain ? given : app.homeUrl
  const opening: Opening = state?.opening ?? { type: 'launcher' }
  const open = () => launch({ url, opening, name: app.name })
  const mayOpen = missing.length === 0
  const isWanted =
    mayOpen && !state?.miniApp && (state?.opening !== undefined || app.added === true)
  const isOpened = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each visit of the screen
  useEffect(() => {
    if (!isWanted || isOpened.current) return
    isOpened.current = true
    open()
  }, [])
  const name = cleanName(app.name)
  return (
    <div className="form-screen app-card">
      <Title>{name}</Title>
      <AppIcon app={app} isLarge />
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <p className="muted">
        <bdi>{app.domain}</bdi>
        {app.author?.username &&
          ` · ${t('by @{username}', { username: cleanName(app.author.username) })}`}
      </p>
      {!mayOpen && (
        <Notice tone="warn">
          {t('This app needs what is not here: {missing}. It cannot be opened.', {
            missing: listText(missing),
          })}
        </Notice>
      )}
      <p className="app-buttons">
        <button type="button" className="primary" disabled={!mayOpen} onClick={open}>
          {t('Open {name}', { name })}
        </button>
        <Link to={aboutPath(app.domain)} className="secondary">
          {t('About this app')}
        </Link>
      </p>
      <p className="muted">{t('It learns your name, your picture and your network address.')}</p>
    </div>
  )
}
