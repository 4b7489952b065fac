import { useId, useLayoutEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import { t } from '../../shared/messages.ts'
import { CARRIED, type Filter, type FilterName, queryOf, readQuery, searchPath } from './filters.ts'

const NAMES = ['from', 'in', 'since', 'until', 'has'] as const

/** All filters as fields. They become operators of the query, which can be typed as well. */
export function FilterSheet({ q, close }: { q: string; close: () => void }) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const { words, filters } = readQuery(q)
  const filled = (name: FilterName) => filters.find((one) => one.name === name)?.value ?? ''
  const show = (data: FormData) => {
    const textOf = (name: string) =>
      String(data.get(name) ?? '')
        .trim()
        .replace(/^[@/]/, '')
    const asked = NAMES.flatMap((name): Filter[] => {
      // A name has no spaces: what is behind one would be a word.
      const [value = ''] = textOf(name).split(/\s/)
      return value === '' ? [] : [{ name, value }]
    })
    const next = queryOf(String(data.get('words') ?? '').trim(), asked)
    close()
    if (next !== '') navigate(searchPath(next))
  }
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{t('Filters')}</h2>
      <form
        className="filter-fields"
        onSubmit={(event) => {
          event.preventDefault()
          show(new FormData(event.currentTarget))
        }}
      >
        <TextField name="words" label={t('Words or #tag')} value={words} />
        <TextField name="from" label={t('Written by')} value={filled('from')} hint={t('@name')} />
        <TextField
          name="in"
          label={t('In the channel')}
          value={filled('in')}
          hint={t('/channel')}
        />
        <TextField name="since" label={t('From the day')} value={filled('since')} type="date" />
        <TextField name="until" label={t('To the day')} value={filled('until')} type="date" />
        <div className="field">
          <label htmlFor={`${id}-has`}>{t('{Posts} with')}</label>
          <select id={`${id}-has`} name="has" defaultValue={filled('has').toLowerCase()}>
            <option value="">{t('anything')}</option>
            {Object.entries(CARRIED).map(([one, [text]]) => (
              <option key={one} value={one}>
                {text}
              </option>
            ))}
          </select>
        </div>
        <div className="filter-acts">
          <button type="submit" className="primary">
            {t('Search')}
          </button>
          <button type="button" className="secondary" onClick={close}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </dialog>
  )
}

type FieldProps = {
  name: string
  label: string
  value: string
  hint?: string
  type?: 'text' | 'date'
}

function TextField({ name, label, value, hint, type = 'text' }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...{ id, name, type }}
        defaultValue={value}
        placeholder={hint}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck="false"
      />
    </div>
  )
}
