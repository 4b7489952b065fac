import { Markdown } from '../../shared/markdown.tsx'
import { isAnythingAsked, type Terms } from './consent.ts'
import './consent.css'

export type Agreed = { readonly rules: boolean; readonly age: boolean }
export const NOTHING_AGREED: Agreed = { rules: false, age: false }

/** Whether everything is agreed to that is asked for. */
export const isAgreed = ({ version, minimumAge }: Terms, { rules, age }: Agreed): boolean =>
  (version === '' || rules) && (minimumAge === 0 || age)

type Props = {
  readonly terms: Terms
  readonly agreed: Agreed
  readonly onChange: (agreed: Agreed) => void
}

/** The rules with what one agrees to. */
export function ConsentFields({ terms, agreed, onChange }: Props) {
  if (!isAnythingAsked(terms)) return null
  const { rules, version, minimumAge } = terms
  return (
    <fieldset className="consent">
      <legend>{version === '' ? 'Your age' : 'The rules'}</legend>
      {version !== '' && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <section className="rules-box" aria-label="The rules of this server" tabIndex={0}>
            <Markdown text={rules} />
          </section>
          <Check
            text="I have read the rules and keep to them"
            isChecked={agreed.rules}
            onChange={(isChecked) => onChange({ ...agreed, rules: isChecked })}
          />
        </>
      )}
      {minimumAge > 0 && (
        <Check
          text={`I am at least ${minimumAge} years old`}
          isChecked={agreed.age}
          onChange={(isChecked) => onChange({ ...agreed, age: isChecked })}
        />
      )}
    </fieldset>
  )
}

type CheckProps = {
  readonly text: string
  readonly isChecked: boolean
  readonly onChange: (isChecked: boolean) => void
}

const Check = ({ text, isChecked, onChange }: CheckProps) => (
  <label className="check">
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ target }) => onChange(target.checked)}
    />
    {text}
  </label>
)
