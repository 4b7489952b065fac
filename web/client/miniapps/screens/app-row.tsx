import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { cleanName, cleanText } from '../../../shared/text.ts'
import { Picture } from '../../parts/picture.tsx'
import type { MiniApp } from '../calls.ts'
import { aboutPath } from '../domain.ts'
import { useLaunch } from '../launch.ts'

/** An app in a list. The domain is shown in any case: names are not unique. */
export function AppRow({ app, children }: { app: MiniApp; children?: ReactNode }) {
  return (
    <article className="row app-row">
      <Picture
        url={app.iconUrl}
        width={96}
        alt=""
        className="app-icon"
        fallback={<span className="app-icon" />}
      />
      <div className="row-text">
        <p>
          <Link to={aboutPath(app.domain)} className="byline">
            <bdi>{cleanName(app.name)}</bdi>
          </Link>{' '}
          <bdi className="muted">{app.domain}</bdi>
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
      aria-label={`Open ${cleanName(app.name)}, ${app.domain}`}
      onClick={() => launch({ url: app.homeUrl, opening: { type: 'launcher' }, name: app.name })}
    >
      Open
    </button>
  )
}
