import { Link } from 'react-router'
import { face } from '../../shared/face.ts'
import { t } from '../../shared/messages.ts'
import { DiscoverPanels } from '../parts/discover.tsx'
import { DevelopmentPanel } from './development-panel.tsx'

/** What this place is, beside the content of wide windows. */
export function Aside() {
  return (
    <aside className="aside-column" aria-label={t('About this server')}>
      <section className="panel">
        <h2 dir="auto">{face.name}</h2>
        {face.description && (
          <p className="muted" dir="auto">
            {face.description}
          </p>
        )}
        <ul className="plain-links">
          <li>
            <Link to="/about">{t('About')}</Link>
          </li>
          {face.pages.map((page) => (
            <li key={page}>
              <Link to={`/${page}`}>{page === 'rules' ? t('Rules') : t('Privacy')}</Link>
            </li>
          ))}
        </ul>
      </section>
      <DiscoverPanels />
      <DevelopmentPanel />
    </aside>
  )
}
