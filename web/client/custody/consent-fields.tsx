import { useId } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { useServer } from '../parts/server.ts'
import { ServerText } from '../parts/server-text.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { isAnythingAsked, type Terms } from './consent.ts'
import './consent.css'

/** What was ticked, as it was shown then. */
export type Agreed = {
  /** The version of the rules. */
  readonly rules: string | undefined
  /** Years; 0: none. */
  readonly age: number
}
export const NOTHING_AGREED: Agreed = { rules: undefined, age: 0 }

/** Whether everything is agreed to that is asked for. */
export const isAgreed = ({ version, minimumAge }: Terms, { rules, age }: Agreed): boolean =>
  (version === '' || rules === version) && age >= minimumAge

type Props = {
  /** Undefined while they are not known. */
  readonly terms: Terms | undefined
  readonly agreed: Agreed
  /** Whether somebody has tried to go on without all of it. */
  readonly isTried?: boolean
  readonly onChange: (agreed: Agreed) => void
}

/** The rules with what one agrees to. */
export function ConsentFields({ terms, agreed, isTried = false, onChange }: Props) {
  if (!terms) return <Unknown />
  if (!isAnythingAsked(terms)) return null
  const { server, version, minimumAge } = terms
  return (
    <fieldset className="consent">
      <legend>{version === '' ? t('Your age') : t('The rules')}</legend>
      {version !== '' && (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <section className="rules-box" aria-label={t('The rules of this server')} tabIndex={0}>
            <ServerText server={server} field="rules" />
          </section>
          {agreed.rules !== undefined && agreed.rules !== version && (
            <Notice tone="warn">{t('The rules have just changed: read them again.')}</Notice>
          )}
          <Check
            text={t('I have read the rules and keep to them')}
            isChecked={agreed.rules === version}
            missing={isTried ? t('Read the rules and tick this to go on.') : undefined}
            onChange={(isChecked) =>
              onChange({ ...agreed, rules: isChecked ? version : undefined })
            }
          />
        </>
      )}
      {minimumAge > 0 && (
        <Check
          text={t(
            '{minimumAge, plural, one {I am at least # year old} other {I am at least # years old}}',
            { minimumAge },
          )}
          isChecked={agreed.age >= minimumAge}
          missing={isTried ? t('Tick this to go on, if it is so.') : undefined}
          onChange={(isChecked) => onChange({ ...agreed, age: isChecked ? minimumAge : 0 })}
        />
      )}
    </fieldset>
  )
}

/** Without the rules nobody can agree to them. */
function Unknown() {
  const { error, refetch } = useServer()
  return error ? (
    <Failed error={error} retry={refetch} />
  ) : (
    <Loading what={t('Loading the rules')} rows={1} />
  )
}

type CheckProps = {
  readonly text: string
  readonly isChecked: boolean
  /** What is said while it is not ticked. */
  readonly missing: string | undefined
  readonly onChange: (isChecked: boolean) => void
}

function Check({ text, isChecked, missing, onChange }: CheckProps) {
  const id = useId()
  const isMissing = missing !== undefined && !isChecked
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isChecked}
          aria-invalid={isMissing}
          aria-describedby={isMissing ? id : undefined}
          onChange={({ target }) => onChange(target.checked)}
        />
        {text}
      </label>
      {isMissing && (
        <p id={id} className="help bad">
          {missing}
        </p>
      )}
    </>
  )
}
