import { useLocation, useNavigate } from 'react-router'
import { words } from '../../shared/words.ts'
import { QueryBox, useQueryText } from '../parts/query-box.tsx'

/** Opens the results of a search. */
export function SearchBox() {
  const navigate = useNavigate()
  const isSearch = useLocation().pathname === '/search'
  const shown = useQueryText()
  return (
    <QueryBox
      label={`Search people, ${words.posts} and channels`}
      value={isSearch ? shown : ''}
      onSearch={(q) => q !== '' && navigate(`/search?${new URLSearchParams({ q })}`)}
    />
  )
}
