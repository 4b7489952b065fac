import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type FormEvent,
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Notice } from '../../shared/page.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { rulesIn, useServer } from '../parts/server.ts'
import { Failed } from '../parts/states.tsx'
import { useSession } from '../session/session.tsx'
import { callPlatform, keyOf } from './calls.ts'

// The dialog in which a moderator decides, with the rule that was broken and words to begin with.

const MAX_REASON_CHARACTERS = 2_000
/** What is about to be done. Cases have a kind, for which there are templates. */
export type Act = {
  readonly kind?: 'leave' | 'warn' | 'hide' | 'remove-poll' | 'limit' | 'suspend'
  readonly title: string
  readonly consequence: string
  readonly path: string
  readonly body?: object
  /** The rule that a report names, in words that its sender may have chosen. */
  readonly rule?: string | undefined
  /** The words that it is about. */
  readonly about?: string | undefined
  /** What to think of before. */
  readonly warning?: string | undefined
  /** Runs when it is decided. */
  readonly done?: () => void
}

const TEMPLATES: Readonly<Record<NonNullable<Act['kind']>, readonly string[]>> = {
  leave: [
    'Thank you. We have read it, and it does not break our rules.',
    'Thank you. It is not kind, but it is allowed here. You can mute or block the author.',
    'We cannot see what is wrong with it. Report it again and tell us more.',
  ],
  warn: [
    'This does not fit our rules. Please read them before you write again.',
    'Please write about what somebody says, not about who they are.',
    'Please advertise less. Next time we hide it.',
  ],
  hide: [
    'This breaks our rules, so we have hidden it. Nothing else of the account changes.',
    'This is advertising, which is not welcome here. We have hidden it.',
    'This attacks a person. Write about what somebody says, not about who they are.',
  ],
  'remove-poll': [
    'This poll breaks our rules, so we have removed it.',
    'This poll attacks a person. We have removed it.',
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
  const [reason, setReason] = useState(act.kind ? TEMPLATES[act.kind][0]! : '')
  const { data: server } = useServer()
  const rules = rulesIn(server?.rules ?? '')
  const hasRules = act.kind !== undefined && act.kind !== 'leave' && rules.length > 0
  const isOwnRule = act.rule !== undefined && rules.includes(act.rule)
  const [chosen, setChosen] = useState<string>()
  const rule = hasRules ? (chosen ?? (isOwnRule ? act.rule! : '')) : ''
  const [days, setDays] = useState('')
  const decide = useMutation({
    mutationFn: async () => {
      const more = { ...(rule && { rule }), ...(days && { days: Number(days) }) }
      const body = { ...act.body, ...more, reason: reason.trim() }
      await callPlatform(await keyOf(fid), act.path, body)
    },
    onSuccess: async () => {
      onClose()
      act.done?.()
      await queries.invalidateQueries()
    },
  })
  useEffect(() => dialog.current?.showModal(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!decide.isPending && reason.trim()) decide.mutate()
  }
  /** At once: the browser tells that a dialog is closed some time later, when the next one may be open. */
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault()
    onClose()
  }
  /** Ctrl or ⌘ with Enter, as in other forms with several lines. */
  const onKey = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.currentTarget.requestSubmit()
  }
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onCancel={cancel}
    >
      <form className="fields" onSubmit={submit} onKeyDown={onKey}>
        <h2 id={id}>{act.title}</h2>
        {act.about && (
          <blockquote className="quoted clamp" dir="auto">
            {cleanText(act.about)}
          </blockquote>
        )}
        {act.warning && <Notice tone="warn">{act.warning}</Notice>}
        <p className="muted">{act.consequence}</p>
        {act.rule !== undefined && server && !isOwnRule && (
          <p className="muted">
            Who reported it names a rule that is not among those of this server: “
            <bdi>{cleanText(act.rule)}</bdi>”
          </p>
        )}
        {hasRules && <RuleChoice rules={rules} value={rule} choose={setChosen} />}
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
          <button
            type="submit"
            className={act.kind === 'leave' ? 'primary' : 'danger'}
            disabled={decide.isPending || !reason.trim()}
          >
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

type RuleProps = ChoiceProps & { readonly rules: readonly string[]; readonly value: string }

function RuleChoice({ rules, value, choose }: RuleProps) {
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
          {[...new Set(rules)].map((rule) => (
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
        <select id={id} aria-describedby={help} onChange={({ target }) => choose(target.value)}>
          {TEMPLATES[kind].map((text) => (
            <option key={text}>{text}</option>
          ))}
          <option value="">Own words</option>
        </select>
      )}
    </Field>
  )
}
