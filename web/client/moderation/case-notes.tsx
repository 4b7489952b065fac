import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { Failed } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform, keyOf, type Subject } from './calls.ts'
import { named, type People } from './people.ts'
import { isoTime } from './words.ts'

const MAX_NOTE_CHARACTERS = 1_000

/** What moderators have written about an account for each other. */
export function CaseNotes({ found: { notes }, people }: { found: Subject; people: People }) {
  if (notes.length === 0) return null
  return (
    <details open>
      <summary>
        {t('{count, plural, one {One note} other {# notes}}', { count: notes.length })}
      </summary>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            <bdi>{cleanText(note.text)}</bdi>{' '}
            <span className="muted">
              <bdi>{cleanText(named(note.author, people))}</bdi>, <Time at={isoTime(note.at)} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Where a moderator writes one: below the buttons that decide, which would move under the hand when it opens. */
export function NoteForm({ fid }: { fid: number }) {
  const { fid: viewer } = useSession()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      await callPlatform(await keyOf(viewer), `/moderation/accounts/${fid}/notes`, {
        text: text.trim(),
      })
    },
    onSuccess: async () => {
      setText('')
      await queries.invalidateQueries({ queryKey: ['own', 'queue'] })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  return (
    <details>
      <summary>{t('Add a note')}</summary>
      <form className="fields" onSubmit={submit}>
        <Field label={t('Note for other moderators')} help={t('The account never sees it.')}>
          {(id, help) => (
            <textarea
              id={id}
              rows={2}
              maxLength={MAX_NOTE_CHARACTERS}
              aria-describedby={help}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {add.error && <Failed error={add.error} />}
        <div className="buttons">
          <button type="submit" className="secondary" disabled={add.isPending || !text.trim()}>
            {t('Keep the note')}
          </button>
        </div>
      </form>
    </details>
  )
}
