import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { cleanName } from '../../shared/text.ts'
import { Failed, Loading } from '../parts/states.tsx'
import type { Cast } from '../types.ts'
import { AppIcon } from './app-parts.tsx'
import { type AddedMiniApp, listAdded } from './calls.ts'
import { domainOf } from './domain.ts'
import { castForApps } from './host/cast-for-apps.ts'
import { useLaunch } from './launch.ts'
import { useKey } from './use-key.ts'

type Props = { readonly cast: Cast; readonly close: () => void }

/** The share sheet of a cast: the viewer's apps that take casts. */
export default function ShareSheet({ cast, close }: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} className="dialog share-sheet" aria-labelledby={id} onClose={close}>
      <div className="dialog-head">
        <h2 id={id}>{t('Share this {post}')}</h2>
        <button type="button" className="icon-button" aria-label={t('Close')} onClick={close}>
          <Icon name="cross" />
        </button>
      </div>
      <Apps cast={cast} close={close} />
    </dialog>
  )
}

function Apps({ cast, close }: Props) {
  const key = useKey()
  const launch = useLaunch()
  const found = useQuery({
    queryKey: ['added mini apps', key?.fid],
    queryFn: () => listAdded(key!),
    enabled: Boolean(key),
  })
  if (key === null) return <p>{t('Your account has no key in this browser yet.')}</p>
  if (found.isPending) return <Loading what={t('Loading your apps')} rows={1} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  const apps = found.data.apps.filter(takesCasts)
  if (apps.length === 0) return <NoApps />
  const share = (app: AddedMiniApp & { castShareUrl: string }) => {
    close()
    const url = shareUrl(app.castShareUrl, cast, key!.fid)
    launch({ url, opening: { type: 'cast_share', cast: castForApps(cast) }, name: app.name })
  }
  return (
    <ul className="share-apps">
      {apps.map((app) => (
        <li key={app.domain}>
          <button type="button" onClick={() => share(app)}>
            <AppIcon app={app} />
            <span className="share-name">
              <bdi>{cleanName(app.name)}</bdi>
              <bdi className="muted">{app.domain}</bdi>
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

const NoApps = () => (
  <>
    <p>{t('None of your mini apps takes {posts}. Add one that does, and it is offered here.')}</p>
    <p>
      <Link to="/miniapps">{t('Find mini apps')}</Link>
    </p>
  </>
)

/** Whether an app takes casts at an address of its own. */
const takesCasts = (app: AddedMiniApp): app is AddedMiniApp & { castShareUrl: string } =>
  app.castShareUrl !== undefined && domainOf(app.castShareUrl) === app.domain

/** The address with the parameters of the published documentation. */
function shareUrl(castShareUrl: string, { hash, author }: Cast, viewerFid: number): string {
  const url = new URL(castShareUrl)
  url.searchParams.set('castHash', hash)
  url.searchParams.set('castFid', String(author.fid))
  url.searchParams.set('viewerFid', String(viewerFid))
  return url.href
}
