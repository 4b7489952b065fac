import { Link, useLocation } from 'react-router'

export type Tab = {
  readonly to: string
  readonly text: string
  readonly count?: number | undefined
}

/** The lists of a screen; each has an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { pathname, search } = useLocation()
  const here = decodeURI(pathname) + search
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, text, count }) => (
        <Link key={to} to={to} aria-current={decodeURI(to) === here ? 'page' : undefined}>
          {text}
          {count !== undefined && <span className="count">{compactNumber(count)}</span>}
        </Link>
      ))}
    </nav>
  )
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `1.2K` */
export const compactNumber = (value: number): string => COMPACT.format(value)
