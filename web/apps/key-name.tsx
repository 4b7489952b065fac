import { type FormEvent, useId, useState } from 'react'
import { t } from '../shared/messages.ts'
import { rich } from '../shared/rich.tsx'
import { MAX_NAME_CHARACTERS } from './key-names.ts'

type Props = { name: string | undefined; app: string; onNamed: (name: string) => void }

/** What the viewer calls a key, and a form to change that. */
export function KeyName({ name, app, onNamed }: Props) {
  const [draft, setDraft] = useState<string>()
  const id = useId()
  const unseen = <span className="unseen">{app}</span>
  if (draft === undefined) {
    return (
      <>
        {name && <bdi className="key-name">{name}</bdi>}
        <button type="button" className="link" onClick={() => setDraft(name ?? '')}>
          {name ? rich('Rename {app}', { app: unseen }) : rich('Name it {app}', { app: unseen })}
        </button>
      </>
    )
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    onNamed(draft)
    setDraft(undefined)
  }
  return (
    <form className="key-name-form" onSubmit={save}>
      <label htmlFor={id}>{t('Your name for it, kept in this browser only')}</label>
      <input
        id={id}
        value={draft}
        maxLength={MAX_NAME_CHARACTERS}
        placeholder={t('Phone')}
        // biome-ignore lint/a11y/noAutofocus: the viewer asked for this field
        autoFocus
        onChange={({ target }) => setDraft(target.value)}
      />
      <button type="submit" className="secondary">
        {t('Save')}
      </button>
    </form>
  )
}
