import { useLocation, useNavigate } from 'react-router'
import { QueryBox, useQueryText } from '../parts/query-box.tsx'

/** Opens the results of a search. */
export function SearchBox() {
  const navigate = useNavigate()
  const isSearch = useLocation().pathname === '/search'
  const shown = useQueryText()
  return (
    <QueryBox
      label="Search people, casts and channels"
      value={isSearch ? shown : ''}
      onSearch={(q) => q !== '' && navigate(`/search?${new URLSearchParams({ q })}`)}
    />
  )
}
