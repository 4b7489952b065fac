import { useNavigate, useSearchParams } from 'react-router'
import { Icon } from '../../shared/icons.tsx'

const MAX_CHARACTERS = 64

/** Opens the results of a search. */
export function SearchBox() {
  const navigate = useNavigate()
  const [params] = useSearchParams()
  const search = (data: FormData) => {
    const q = String(data.get('q') ?? '').trim()
    if (q !== '') navigate(`/search?${new URLSearchParams({ q })}`)
  }
  const shown = params.get('q') ?? ''
  return (
    <search className="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          search(new FormData(event.currentTarget))
        }}
      >
        <Icon name="search" />
        <input
          key={shown}
          type="search"
          name="q"
          aria-label="Search people, casts and channels"
          placeholder="Search"
          maxLength={MAX_CHARACTERS}
          defaultValue={shown}
          autoComplete="off"
        />
      </form>
    </search>
  )
}
