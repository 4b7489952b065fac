import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { t } from '../../../shared/messages.ts'
import { Notice } from '../../../shared/page.tsx'
import { rich } from '../../../shared/rich.tsx'
import { cleanName, cleanText } from '../../../shared/text.ts'
import { Picture } from '../../parts/picture.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Title } from '../../parts/title.tsx'
import { AppIcon } from '../app-parts.tsx'
import { getApp, type MiniAppDetails } from '../calls.ts'
import { useKey } from '../use-key.ts'
import { OpenButton } from './app-row.tsx'
import { Permissions } from './permissions.tsx'
import './screens.css'

/** Who has made an app, and what the viewer has allowed it. */
export function Component() {
  const { domain = '' } = useParams()
  const key = useKey()
  const found = useQuery({
    queryKey: ['mini app', domain, key?.fid],
    queryFn: () => getApp(domain, key ?? undefined),
    enabled: key !== undefined,
    retry: false,
  })
  if (found.isPending) return <Loading what={t('Loading the app')} rows={1} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} isScreen />
  const app = found.data
  return (
    <div className="form-screen">
      <Title>{cleanName(app.name)}</Title>
      <Head app={app} />
      {key && (
        <section className="app-part" aria-labelledby="allowed">
          <h2 id="allowed">{t('What you allow it')}</h2>
          <Permissions
            browserKey={key}
            domain={app.domain}
            added={app.added ?? false}
            notifies={app.notifies ?? false}
            mayAdd={app.state === 'listed'}
          />
          <p>
            <Link to="/miniapps/settings">{t('All mini apps that you allow something')}</Link>
          </p>
        </section>
      )}
      <section className="app-part" aria-labelledby="learns">
        <h2 id="learns">{t('What it learns')}</h2>
        <p>
          {t(
            'When you open it: your number, name and picture, from where you opened it, and your network address. It learns no address of your wallet, and nothing of other apps, unless you allow it.',
          )}
        </p>
      </section>
      <p>
        <Link to={`/report?${new URLSearchParams({ app: app.domain })}`}>
          {t('Report this app')}
        </Link>
      </p>
    </div>
  )
}

function Head({ app }: { app: MiniAppDetails }) {
  const { author } = app
  const screenshots = app.manifest.screenshotUrls ?? []
  return (
    <>
      <header className="app-head">
        <AppIcon app={app} isLarge />
        <div>
          <h1>
            <bdi>{cleanName(app.name)}</bdi>
          </h1>
          <p className="muted">
            <bdi>{app.domain}</bdi>
          </p>
          <p className="muted">
            {author
              ? rich('by {link}', {
                  link: (
                    <Link to={`/@${author.username ?? `!${author.fid}`}`}>
                      <bdi>@{cleanName(author.username ?? `!${author.fid}`)}</bdi>
                    </Link>
                  ),
                })
              : t('Its author is not verified.')}
            {app.people > 0 &&
              t(
                '{people, plural, one { · 1 person has added it} other { · # people have added it}}',
                { people: app.people },
              )}
          </p>
        </div>
        <OpenButton app={app} isPrimary />
      </header>
      {app.state === 'faulty' && (
        <Notice tone="warn">
          {t('Its manifest has faults, so it is in no list and cannot be added.')}
        </Notice>
      )}
      {app.description && (
        <p className="app-text" dir="auto">
          {cleanText(app.description)}
        </p>
      )}
      {screenshots.length > 0 && (
        <div className="app-screenshots">
          {screenshots.map((url, i) => (
            <Picture
              key={url}
              url={url}
              width={640}
              alt={t('Screenshot {i} of {count}', { i: i + 1, count: screenshots.length })}
            />
          ))}
        </div>
      )}
    </>
  )
}
