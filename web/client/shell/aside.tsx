import { DiscoverPanels } from '../parts/discover.tsx'
import { DevelopmentPanel } from './development-panel.tsx'

/** What this place is, beside the content of wide windows. */
export function Aside() {
  return (
    <aside className="aside-column" aria-label="About this server">
      <section className="panel">
        <h2>This server</h2>
        <p className="muted">
          <bdi>{location.host}</bdi> runs a social network that is compatible with Farcaster. Every
          cast is signed by its author.
        </p>
        <ul className="plain-links">
          <li>
            <a href="/docs">API reference</a>
          </li>
          <li>
            <a href="/hub/v1/info">State of the hub</a>
          </li>
        </ul>
      </section>
      <DiscoverPanels />
      <DevelopmentPanel />
    </aside>
  )
}
