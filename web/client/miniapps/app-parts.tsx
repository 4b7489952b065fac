import { Link } from 'react-router'
import { cleanName } from '../../shared/text.ts'
import { Picture } from '../parts/picture.tsx'
import type { MiniApp } from './calls.ts'
import { aboutPath } from './domain.ts'
import './screens/screens.css'

/** The icon of an app: small in a list, large at the head of a screen. */
export const AppIcon = ({ app, isLarge = false }: { app: MiniApp; isLarge?: boolean }) => {
  const [className, width] = isLarge ? (['app-picture', 192] as const) : (['app-icon', 96] as const)
  return (
    <Picture
      url={app.iconUrl}
      width={width}
      alt=""
      className={className}
      fallback={<span className={className} />}
    />
  )
}

/** The name of an app with its domain, because names are not unique. */
export const AppTitle = ({ app }: { app: MiniApp }) => (
  <>
    <Link to={aboutPath(app.domain)} className="byline">
      <bdi>{cleanName(app.name)}</bdi>
    </Link>{' '}
    <bdi className="muted">{app.domain}</bdi>
  </>
)
