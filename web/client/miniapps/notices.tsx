import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { tell } from '../act/notices.tsx'
import { Time } from '../parts/time.tsx'
import { AppIcon, AppTitle } from './app-parts.tsx'
import { listNotices, type Notice, seeNotices } from './calls.ts'
import { makeEvent } from './event.ts'
import { useLaunch } from './launch.ts'
import { useKey } from './use-key.ts'

const queryKey = (key: BrowserKey | null | undefined) => ['mini app notices', key?.fid]

/** What the viewer's mini apps have told, above the other notifications. */
export function AppNotices() {
  const key = useKey()
  const { data } = useQuery({
    queryKey: queryKey(key),
    queryFn: () => listNotices(key!),
    enabled: Boolean(key),
    staleTime: 0,
    retry: false,
  })
  const newest = data?.notices[0]?.createdAt
  const unseen = data?.unseen ?? 0
  // Those that were new stay marked as such while the screen is open.
  useEffect(() => {
    if (key && newest !== undefined && unseen > 0) seeNotices(key, newest).catch(() => {})
  }, [key, newest, unseen])
  if (!key || !data || data.notices.length === 0) return null
  return (
    <section aria-label={t('From your mini apps')}>
      {data.notices.map((notice) => (
        <Entry
          key={`${notice.app.domain} ${notice.notificationId}`}
          notice={notice}
          browserKey={key}
        />
      ))}
    </section>
  )
}

function Entry({ notice, browserKey }: { notice: Notice; browserKey: BrowserKey }) {
  const launch = useLaunch()
  const queries = useQueryClient()
  const { app, notificationId, title, body, targetUrl, createdAt, seenAt } = notice
  const notification = { notificationId, title, body }
  const open = () =>
    launch({ url: targetUrl, opening: { type: 'notification', notification }, name: app.name })
  const turnOff = () =>
    makeEvent(browserKey, app.domain, 'notifications_disabled').then(
      () => {
        tell(t('{domain} no longer notifies you.', { domain: app.domain }))
        queries.invalidateQueries({ queryKey: ['added mini apps'] })
      },
      (error) => tell(t('It still notifies you. {message}', { message: error.message })),
    )
  return (
    <article className={seenAt === undefined ? 'row unread' : 'row'}>
      <AppIcon app={app} />
      <div className="row-text">
        <p>
          <AppTitle app={app} />{' '}
          <span className="muted">
            <Time at={new Date(createdAt * 1_000).toISOString()} />
          </span>
        </p>
        <p dir="auto">
          <strong>{cleanText(title)}</strong>
        </p>
        <p dir="auto">{cleanText(body)}</p>
        <p className="account-links">
          <button type="button" className="link" onClick={open}>
            {t('Open {domain}', { domain: app.domain })}
          </button>
          <button type="button" className="link" onClick={turnOff}>
            {rich('Turn off <unseen>notifications of {domain}</unseen>', {
              domain: app.domain,
              unseen: (inner) => <span className="unseen">{inner}</span>,
            })}
          </button>
        </p>
      </div>
    </article>
  )
}
