import { Icon } from '../../shared/icons.tsx'
import { language } from '../../shared/meta.ts'

const MAX_CHARACTERS = 64

/** As this language writes small letters, and without accents, which not everybody types. */
const plain = (text: string): string =>
  text.toLocaleLowerCase(language).normalize('NFKD').replace(/\p{M}/gu, '')

/** Whether each word of what was typed is in a text. */
export const hasWords = (typed: string, text: string): boolean => {
  const whole = plain(text)
  return plain(typed)
    .split(/\s+/)
    .every((word) => whole.includes(word))
}

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
