import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { filterText, queryOf, readQuery, searchPath } from './filters.ts'
import './search.css'

const FilterSheet = lazy(async () => ({
  default: (await import('./filter-sheet.tsx')).FilterSheet,
}))

/** The filters of a search: each can be taken away, and a sheet has all of them. */
export function FilterBar({ q }: { q: string }) {
  const [isOpen, setOpen] = useState(false)
  const { words, filters } = readQuery(q)
  return (
    <div className="filter-bar">
      <button type="button" className="secondary" onClick={() => setOpen(true)}>
        <Icon name="settings" /> {t('Filters')}
      </button>
      {filters.map((filter, i) => (
        <Link
          key={`${filter.name} ${filter.value}`}
          className="filter"
          to={searchPath(queryOf(words, filters.toSpliced(i, 1)))}
        >
          <bdi>{filterText(filter)}</bdi>
          <Icon name="cross" />
          <span className="unseen">{t('Take this filter away')}</span>
        </Link>
      ))}
      <Suspense>{isOpen && <FilterSheet q={q} close={() => setOpen(false)} />}</Suspense>
    </div>
  )
}
