import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Field } from '../act/field.tsx'
import { findKey } from '../act/key-store.ts'
import { rulesIn, useServer } from '../parts/server.ts'
import { Failed } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform } from './calls.ts'

// The dialog in which a moderator decides, with the rule that was broken and words to begin with.

const MAX_REASON_CHARACTERS = 2_000
/** What is about to be done. Cases have a kind, for which there are templates. */
export type Act = {
  readonly kind?: 'leave' | 'hide' | 'limit' | 'suspend'
  readonly title: string
  readonly consequence: string
  readonly path: string
  readonly body?: object
}

const TEMPLATES: Readonly<Record<NonNullable<Act['kind']>, readonly string[]>> = {
  leave: [
    'Thank you. We have read it, and it does not break our rules.',
    'Thank you. It is not kind, but it is allowed here. You can mute or block the author.',
    'We cannot see what is wrong with it. Report it again and tell us more.',
  ],
  hide: [
    'This breaks our rules, so we have hidden it. Nothing else of the account changes.',
    'This is advertising, which is not welcome here. We have hidden it.',
    'This attacks a person. Write about what somebody says, not about who they are.',
  ],
  limit: [
    'The account writes a lot that few want to read. It is shown to its followers only for now.',
    'The account mostly advertises. It is shown to its followers only.',
  ],
  suspend: [
    'This is not the first time that our rules were broken. The account is suspended.',
    'The account only advertises. It is suspended.',
    'The account passes itself off as somebody else. It is suspended.',
  ],
}

export function Decide({ act, onClose }: { act: Act; onClose: () => void }) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const { fid } = useSession()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [rule, setRule] = useState('')
  const [days, setDays] = useState('')
  const decide = useMutation({
    mutationFn: async () => {
      const key = await findKey(fid!)
      if (!key) throw new Error('Sign in again: this browser has no key of your account.')
      const more = { ...(rule && { rule }), ...(days && { days: Number(days) }) }
      const body = { ...act.body, ...more, reason: reason.trim() }
      await callPlatform(key, act.path, body)
    },
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries()
    },
  })
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    decide.mutate()
  }
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <h2 id={id}>{act.title}</h2>
        <p className="muted">{act.consequence}</p>
        {act.kind && act.kind !== 'leave' && <RuleChoice value={rule} choose={setRule} />}
        {act.kind === 'suspend' && <DaysChoice value={days} choose={setDays} />}
        {act.kind && <Templates kind={act.kind} choose={setReason} />}
        <Field label="Reason" help="The log shows it, and so do the people whom it concerns.">
          {(field, help) => (
            <textarea
              id={field}
              required
              rows={3}
              maxLength={MAX_REASON_CHARACTERS}
              aria-describedby={help}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        {decide.error && <Failed error={decide.error} />}
        <div className="buttons">
          <button type="submit" className="danger" disabled={decide.isPending || !reason.trim()}>
            {decide.isPending ? 'Working …' : act.title}
          </button>
          <button type="button" className="secondary" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}

type ChoiceProps = { choose: (text: string) => void }

function RuleChoice({ value, choose }: ChoiceProps & { value: string }) {
  const { data } = useServer()
  const rules = rulesIn(data?.rules ?? '')
  if (rules.length === 0) return null
  return (
    <Field label="Rule that was broken" help="The reason begins with it.">
      {(id, help) => (
        <select
          id={id}
          value={value}
          aria-describedby={help}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">None of them</option>
          {rules.map((rule) => (
            <option key={rule}>{rule}</option>
          ))}
        </select>
      )}
    </Field>
  )
}

const DAYS = { 1: 'One day', 7: 'A week', 30: '30 days' } as const

function DaysChoice({ value, choose }: ChoiceProps & { value: string }) {
  return (
    <Field label="For how long" help="It ends by itself, and can be undone before.">
      {(id, help) => (
        <select
          id={id}
          value={value}
          aria-describedby={help}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">For good</option>
          {Object.entries(DAYS).map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

function Templates({ kind, choose }: ChoiceProps & { kind: NonNullable<Act['kind']> }) {
  return (
    <Field label="Begin with" help="You can change the words.">
      {(id, help) => (
        <select
          id={id}
          defaultValue=""
          aria-describedby={help}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">Own words</option>
          {TEMPLATES[kind].map((text) => (
            <option key={text}>{text}</option>
          ))}
        </select>
      )}
    </Field>
  )
}
