import { useSearchParams } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'

const MAX_CHARACTERS = 64

/** The text that the address asks for. */
export function useQueryText(maxCharacters = MAX_CHARACTERS): string {
  const [params] = useSearchParams()
  return (params.get('q') ?? '').trim().slice(0, maxCharacters)
}

/** A search within a screen; the address keeps the text. */
export function QueryBox({
  label,
  value,
  placeholder = t('Search'),
  maxCharacters = MAX_CHARACTERS,
  onSearch,
}: {
  label: string
  value: string
  placeholder?: string
  maxCharacters?: number
  /** In place of changing the address of this screen. */
  onSearch?: (text: string) => void
}) {
  const [, setParams] = useSearchParams()
  const show = onSearch ?? ((q: string) => setParams(q === '' ? {} : { q }))
  return (
    <search className="search-box">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          show(String(new FormData(event.currentTarget).get('q') ?? '').trim())
        }}
      >
        <Icon name="search" />
        <input
          key={value}
          type="search"
          name="q"
          aria-label={label}
          placeholder={placeholder}
          maxLength={maxCharacters}
          defaultValue={value}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck="false"
        />
      </form>
    </search>
  )
}
