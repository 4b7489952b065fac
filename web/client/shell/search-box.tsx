import { useLocation, useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { QueryBox, useQueryText } from '../parts/query-box.tsx'

/** With operators such as `from:`. */
export const MAX_SEARCH_CHARACTERS = 200

/** Opens the results of a search. */
export function SearchBox() {
  const navigate = useNavigate()
  const isSearch = useLocation().pathname === '/search'
  const shown = useQueryText(MAX_SEARCH_CHARACTERS)
  return (
    <QueryBox
      label={t('Search people, {posts} and channels')}
      maxCharacters={MAX_SEARCH_CHARACTERS}
      value={isSearch ? shown : ''}
      onSearch={(q) => q !== '' && navigate(`/search?${new URLSearchParams({ q })}`)}
    />
  )
}
