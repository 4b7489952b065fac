import type { ReactNode } from 'react'
import { t } from '../../../shared/messages.ts'
import { cleanName, cleanText } from '../../../shared/text.ts'
import { AppIcon, AppTitle } from '../app-parts.tsx'
import type { MiniApp } from '../calls.ts'
import { useLaunch } from '../launch.ts'

/** An app in a list. The domain is shown in any case: names are not unique. */
export function AppRow({ app, children }: { app: MiniApp; children?: ReactNode }) {
  return (
    <article className="row app-row">
      <AppIcon app={app} />
      <div className="row-text">
        <p>
          <AppTitle app={app} />
        </p>
        {app.subtitle && (
          <p className="muted" dir="auto">
            {cleanText(app.subtitle)}
          </p>
        )}
        {children}
      </div>
      <OpenButton app={app} />
    </article>
  )
}

type OpenProps = { app: Pick<MiniApp, 'domain' | 'name' | 'homeUrl'>; isPrimary?: boolean }

export function OpenButton({ app, isPrimary = false }: OpenProps) {
  const launch = useLaunch()
  return (
    <button
      type="button"
      className={isPrimary ? 'primary' : 'secondary'}
      aria-label={t('Open {name}, {domain}', { name: cleanName(app.name), domain: app.domain })}
      onClick={() => launch({ url: app.homeUrl, opening: { type: 'launcher' }, name: app.name })}
    >
      {t('Open')}
    </button>
  )
}
