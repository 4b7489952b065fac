import { Link } from 'react-router'
import { DevelopmentTools } from '../act/development.tsx'
import { Title } from '../parts/title.tsx'
import { isDevelopment } from '../shell/development-panel.tsx'
import { NotFound } from './not-found.tsx'

/** The helpers of a development network, for windows without room beside the content. */
export function Component() {
  if (!isDevelopment()) return <NotFound />
  return (
    <div className="form-screen">
      <Title>Development network</Title>
      <h1>Development network</h1>
      <p>
        <Link to="/development/mini-apps">Run your mini app</Link>
      </p>
      <p>
        <Link to="/development/snaps">Press your snap</Link>
      </p>
      <DevelopmentTools />
    </div>
  )
}
