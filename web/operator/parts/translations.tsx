import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isRightToLeft } from '../../../src/kernel/base/languages/format.ts'
import { LANGUAGES } from '../../../src/kernel/base/languages/languages.ts'
import { languageName } from '../../shared/language-name.ts'
import { Markdown } from '../../shared/markdown.tsx'
import { t } from '../../shared/messages.ts'
import { ask } from '../api.ts'

// What the server says about itself, in other languages than its own.

export type Translated = {
  readonly language: string
  readonly field: string
  readonly text: string
  readonly isOutdated: boolean
}

/** A text that has translations: how it is called, how long it may be, and what it is in the language of the server. */
export type Original = {
  readonly field: string
  readonly label: string
  readonly max: number
  readonly isLong: boolean
  readonly text: string
}

/** How many texts have no translation that counts. */
const missingIn = (
  language: string,
  originals: readonly Original[],
  translations: readonly Translated[],
): number =>
  originals.filter(
    ({ field }) =>
      !translations.some(
        (one) => one.field === field && one.language === language && !one.isOutdated,
      ),
  ).length

type ChoiceProps = {
  readonly own: string
  readonly value: string
  /** The languages in which something may have been typed. */
  readonly opened: readonly string[]
  readonly originals: readonly Original[]
  readonly translations: readonly Translated[]
  readonly onChange: (language: string) => void
}

/** The language of the server, those in which it has texts, and those that may be added. */
export function TextLanguage({
  own,
  value,
  opened,
  originals,
  translations,
  onChange,
}: ChoiceProps) {
  const others = LANGUAGES.filter(({ code }) => code !== own)
  const isAdded = ({ code }: { code: string }) =>
    opened.includes(code) || translations.some(({ language }) => language === code)
  // Options have no elements: these marks keep a name in other letters from turning what is around it.
  const apart = (name: string) => `\u2068${name}\u2069`
  const nameOf = (code: string) => LANGUAGES.find((one) => one.code === code)?.name ?? code
  const stateOf = (code: string, language: string) => {
    const count = missingIn(code, originals, translations)
    return count === 0
      ? t('{language}, complete', { language })
      : t('{language}, {count, plural, one {# text is missing} other {# texts are missing}}', {
          language,
          count,
        })
  }
  const rest = others.filter((one) => !isAdded(one))
  return (
    <label className="field">
      <span>{t('Language of the texts')}</span>
      <select id="texts-language" value={value} onChange={({ target }) => onChange(target.value)}>
        <option value={own}>
          {t('{language}, the language of the server', { language: apart(nameOf(own)) })}
        </option>
        {others.filter(isAdded).map(({ code, name }) => (
          <option key={code} value={code}>
            {stateOf(code, apart(name))}
          </option>
        ))}
        <optgroup label={t('Add a language')}>
          {rest.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  )
}

type Props = {
  readonly own: string
  readonly language: string
  readonly originals: readonly Original[]
  readonly translations: readonly Translated[]
}

/** Each text by itself, beside what it says in the language of the server. */
export function Translations({ own, language, originals, translations }: Props) {
  const original = languageName(own)
  if (originals.length === 0)
    return (
      <p>
        {t('Write the texts in {original} first: there is nothing to translate yet.', { original })}
      </p>
    )
  return (
    <>
      <p className="muted">
        {t(
          'Who reads in {language} gets these texts. Where one is missing, or older than the text in {original}, that is shown.',
          { language: languageName(language), original },
        )}
      </p>
      {originals.map((one) => (
        <Translation
          key={one.field}
          language={language}
          own={own}
          original={one}
          known={translations.find(
            ({ field, language: into }) => field === one.field && into === language,
          )}
        />
      ))}
    </>
  )
}

type OneProps = Pick<Props, 'language' | 'own'> & {
  readonly original: Original
  readonly known: Translated | undefined
}

function Translation({ language: code, own, original: ofServer, known }: OneProps) {
  const { field, label, max, isLong, text } = ofServer
  const [language, original] = [languageName(code), languageName(own)]
  const queries = useQueryClient()
  /** What was typed and is not saved. */
  const [draft, setDraft] = useState<string>()
  const given = draft ?? known?.text ?? ''
  const save = useMutation({
    mutationFn: (value: string) =>
      ask('/server/texts', {
        method: 'PUT',
        body: { language: code, texts: { [field]: value || null } },
      }),
    onSuccess: async (_, saved) => {
      await queries.invalidateQueries()
      setDraft((typed) => (typed === saved ? undefined : typed))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(given)
  }
  const id = `translated-${field}-${code}`
  const isChanged = given !== (known?.text ?? '')
  const shared = {
    ...{ id, lang: code, dir: isRightToLeft(code) ? 'rtl' : 'ltr', maxLength: max },
    value: given,
    'aria-describedby': `${id}-state`,
    'aria-invalid': save.error !== null,
    onChange: ({ target }: { target: { value: string } }) => {
      save.reset()
      setDraft(target.value)
    },
  }
  const state = save.error
    ? save.error.message
    : known === undefined
      ? t('Not translated.')
      : known.isOutdated
        ? t('The text in {original} was changed after this translation, which is not shown now.', {
            original,
          })
        : save.isSuccess && !isChanged
          ? t('Saved.')
          : ''
  return (
    <form className="stacked" onSubmit={submit}>
      <div className="field">
        <label htmlFor={id}>{t('{label}, in {language}', { label, language })}</label>
        {isLong ? <textarea {...shared} rows={8} /> : <input {...shared} autoComplete="off" />}
      </div>
      <p role="status" id={`${id}-state`} className={save.error ? 'fault' : 'muted'}>
        {state}
      </p>
      {field === 'rules' && (
        <p className="muted">
          {t('Members agree to the rules in {original}. A changed translation asks nobody again.', {
            original,
          })}
        </p>
      )}
      <details>
        <summary>{t('The text in {language}', { language: original })}</summary>
        {isLong ? (
          <Markdown text={text} lang={own} />
        ) : (
          <p lang={own} dir="auto">
            {text}
          </p>
        )}
      </details>
      <p className="buttons">
        <button type="submit" className="primary" disabled={save.isPending || !isChanged}>
          {save.isPending ? t('Working …') : t('Save')}
        </button>
        {known?.isOutdated && !isChanged && (
          <button
            type="button"
            className="secondary"
            disabled={save.isPending}
            onClick={() => save.mutate(given)}
          >
            {t('It is still right')}
          </button>
        )}
      </p>
    </form>
  )
}
