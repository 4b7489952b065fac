import { Icon } from '../../shared/icons.tsx'

const MAX_CHARACTERS = 64

type Props = { label: string; value: string; onChange: (text: string) => void }

/** A search that narrows what the screen shows while one types. */
export const FilterBox = ({ label, value, onChange }: Props) => (
  <search className="search-box">
    <form onSubmit={(event) => event.preventDefault()}>
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={MAX_CHARACTERS}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck="false"
      />
    </form>
  </search>
)
