import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { DevelopmentTools } from '../act/development.tsx'
import { Title } from '../parts/title.tsx'
import { isDevelopment } from '../shell/development-panel.tsx'
import { NotFound } from './not-found.tsx'

/** The helpers of a development network, for windows without room beside the content. */
export function Component() {
  if (!isDevelopment()) return <NotFound />
  return (
    <div className="form-screen">
      <Title>{t('Development network')}</Title>
      <h1>{t('Development network')}</h1>
      <p>
        <Link to="/development/mini-apps">{t('Run your mini app')}</Link>
      </p>
      <p>
        <Link to="/development/snaps">{t('Press your snap')}</Link>
      </p>
      <DevelopmentTools />
    </div>
  )
}
