import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { t } from '../../../shared/messages.ts'
import { rich } from '../../../shared/rich.tsx'
import { cleanName } from '../../../shared/text.ts'
import type { BrowserKey } from '../../act/key-store.ts'
import { tell } from '../../act/notices.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Title } from '../../parts/title.tsx'
import { snapConsents } from '../../snaps/consents.ts'
import { listAdded, setHidesUse } from '../calls.ts'
import { aboutPath } from '../domain.ts'
import { useKey } from '../use-key.ts'
import { walletConsents } from '../wallet/consents.ts'
import { Permissions } from './permissions.tsx'
import './screens.css'

/** Everything that the viewer allows mini apps, on one page. */
export function Component() {
  const key = useKey()
  return (
    <div className="form-screen">
      <Title>{t('What mini apps may do')}</Title>
      <h1>{t('What mini apps may do')}</h1>
      {key === null && (
        <Empty
          heading={t('Join to allow mini apps something')}
          action={{ text: t('Join or sign in'), to: '/join?back=%2Fminiapps%2Fsettings' }}
        />
      )}
      {key && <Settings browserKey={key} />}
    </div>
  )
}

function Settings({ browserKey }: { browserKey: BrowserKey }) {
  const queries = useQueryClient()
  const queryKey = ['added mini apps', browserKey.fid]
  const found = useQuery({ queryKey, queryFn: () => listAdded(browserKey) })
  const consents = walletConsents.use(browserKey.fid)
  const snapHosts = Object.entries(snapConsents.use(browserKey.fid))
  if (found.isPending) return <Loading what={t('Loading your mini apps')} rows={2} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  const { apps, hidesUse } = found.data
  // An app may see an address without being added.
  const others = Object.keys(consents).filter(
    (domain) => !apps.some((app) => app.domain === domain),
  )
  const setHidden = (isHidden: boolean) =>
    setHidesUse(browserKey, isHidden).then(
      () => queries.invalidateQueries({ queryKey }),
      (error) => tell(t('That did not work. {message}', { message: error.message })),
    )
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={!hidesUse}
          onChange={({ target }) => setHidden(!target.checked)}
        />
        {t('Show friends which mini apps I open')}
      </label>
      {apps.length + others.length === 0 && (
        <Empty
          heading={t('You allow no mini app anything')}
          action={{ text: t('Find mini apps'), to: '/miniapps' }}
        />
      )}
      {apps.map((app) => (
        <section key={app.domain} className="app-part" aria-label={app.domain}>
          <h2>
            <Link to={aboutPath(app.domain)}>
              <bdi>{cleanName(app.name)}</bdi>
            </Link>{' '}
            <bdi className="muted">{app.domain}</bdi>
          </h2>
          <Permissions
            {...{ browserKey }}
            domain={app.domain}
            added
            notifies={app.notifies}
            mayAdd
          />
        </section>
      ))}
      {others.map((domain) => (
        <section key={domain} className="app-part" aria-label={domain}>
          <h2>
            <Link to={aboutPath(domain)}>
              <bdi>{domain}</bdi>
            </Link>
          </h2>
          <Permissions {...{ browserKey, domain }} added={false} notifies={false} mayAdd={false} />
        </section>
      ))}
      {snapHosts.length > 0 && (
        <section className="app-part" aria-label={t('Cards in posts')}>
          <h2>{t('Cards in posts')}</h2>
          <p className="muted">
            {t('These sites learn that it is you when you press a button of theirs.')}
          </p>
          <ul className="app-permissions">
            {snapHosts.map(([host, choice]) => (
              <li key={host}>
                <bdi>{host}</bdi>
                <label className="check">
                  <input
                    type="checkbox"
                    checked={choice === 'viewer'}
                    onChange={({ target }) =>
                      snapConsents.put(browserKey.fid, host, target.checked ? 'viewer' : true)
                    }
                  />
                  {rich('Also learns that I look <unseen>at cards of {host}</unseen>', {
                    host,
                    unseen: (inner) => <span className="unseen">{inner}</span>,
                  })}
                </label>
                <button
                  type="button"
                  className="secondary"
                  onClick={() => snapConsents.remove(browserKey.fid, host)}
                >
                  {rich('Ask me again <unseen>for {host}</unseen>', {
                    host,
                    unseen: (inner) => <span className="unseen">{inner}</span>,
                  })}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
