import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { language } from '../../shared/meta.ts'

export type Tab = { readonly to: string; readonly text: string }

type Props = {
  label: string
  tabs: readonly Tab[]
  /** The address of the list that is shown. */
  current: string
}

function middleOf(element: Element): number {
  const { left, width } = element.getBoundingClientRect()
  return left + width / 2
}

/** The lists of a screen; each has an address of its own. */
export function Tabs({ label, tabs, current }: Props) {
  const nav = useRef<HTMLElement>(null)
  const isThere = tabs.some(({ to }) => to === current)
  // On phones the current one may be outside of what is visible, and come later than the others. Only the tabs are scrolled, not
  // the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tab is found in the document
  useEffect(() => {
    const tab = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (tab && nav.current) nav.current.scrollLeft += middleOf(tab) - middleOf(nav.current)
  }, [current, isThere])
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(({ to, text }) => (
        <Link key={to} to={to} aria-current={to === current ? 'page' : undefined}>
          {text}
        </Link>
      ))}
    </nav>
  )
}

const COMPACT = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })

/** `1.2K` */
export const compactNumber = (value: number): string => COMPACT.format(value)
