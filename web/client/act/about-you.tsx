import { type FormEvent, useId, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { useAct } from './actor.ts'
import { byteLength, setProfile } from './writes.ts'

const MAX_BYTES = 256

/** A line about oneself, which becomes the text of the profile. */
export function AboutYou() {
  const id = useId()
  const act = useAct()
  const [text, setText] = useState('')
  const [isSaved, setSaved] = useState(false)
  const bytes = byteLength(text.trim())
  const save = async (event: FormEvent) => {
    event.preventDefault()
    const write = (key: Parameters<typeof setProfile>[0]) => setProfile(key, 'bio', text.trim())
    if (await act(write, { failed: t('It was not saved.') })) setSaved(true)
  }
  return (
    <form className="about-you" onSubmit={save}>
      <label htmlFor={id}>{t('A line about you')}</label>
      <input
        id={id}
        value={text}
        placeholder={t('What others should know')}
        aria-describedby={`${id}-help`}
        aria-invalid={bytes > MAX_BYTES}
        onChange={({ target }) => {
          setText(target.value)
          setSaved(false)
        }}
      />
      <button type="submit" className="secondary" disabled={bytes === 0 || bytes > MAX_BYTES}>
        {t('Save')}
      </button>
      <p id={`${id}-help`} className="help" role="status">
        {isSaved ? t('Saved. It is on your profile.') : bytes > MAX_BYTES ? t('Too long') : ''}
      </p>
    </form>
  )
}
