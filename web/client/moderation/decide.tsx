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
import { REASONS } from '../../../src/features/moderation-records/reasons.ts'
import { oneByOne } from '../../shared/in-turn.ts'
import { t } from '../../shared/messages.ts'
import { NotDoneList, progressText } from '../../shared/one-by-one.tsx'
import { Notice } from '../../shared/page.tsx'
import { reasonText } from '../../shared/reasons.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { tell, tellDone } from '../act/notices.tsx'
import { rulesOf, useServer } from '../parts/server.ts'
import { useSession } from '../session/session.tsx'
import type { Act, ActOn } from './act.ts'
import { callPlatform, keyOf } from './calls.ts'
import { named, type People } from './people.ts'
import { undoOf } from './undo.ts'
import './decide.css'

// The dialog in which a moderator decides, with the rule that was broken and words to begin with.

const MAX_REASON_CHARACTERS = 2_000
type Kind = NonNullable<Act['kind']>

const FOR_GOOD = ''
const DAYS = { 1: t('One day'), 7: t('A week'), 30: t('30 days') } as const
const A_WEEK = '7'

/** Reasons to begin with, as they are recorded: of a suspension they say for how long it is, and speak of earlier times only where there were some. */
function templatesOf({ kind, subject }: Act, days: string): readonly string[] {
  if (kind === undefined) return []
  if (kind !== 'suspend') return REASONS[kind]
  const again = REASONS.suspendAgain[days]
  return [
    ...(REASONS.suspend[days] ?? []),
    ...(again && subject && subject.earlier.length > 0 ? [again] : []),
  ]
}

/** Of a decision about a case. */
type Answer = { readonly changed?: boolean; readonly entry?: number } | undefined

type DecideProps = {
  act: Act
  /** Opens the dialog in which what was done is undone. */
  undo: (act: Act) => void
  onClose: () => void
}

/** It is shown when the rules are there: nothing in it moves below the hand. */
export function Decide(props: DecideProps) {
  const { data, isPending } = useServer()
  if (isPending) return null
  return <DecideDialog {...props} rules={data && rulesOf(data).map(({ rule }) => rule)} />
}

function DecideDialog({
  act,
  undo,
  onClose,
  rules: known,
}: DecideProps & { rules: string[] | undefined }) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const { fid } = useSession()
  const queries = useQueryClient()
  const [days, setDays] = useState(act.kind === 'suspend' ? A_WEEK : FOR_GOOD)
  const [template, setTemplate] = useState(0)
  /** Undefined while a template is used as it is. */
  const [own, setOwn] = useState<string>()
  const recorded = templatesOf(act, days)
  const templates = recorded.map(reasonText)
  const reason = own ?? templates[template] ?? ''
  const rules = known ?? []
  const hasRules = act.kind !== undefined && act.kind !== 'leave' && rules.length > 0
  const isOwnRule = act.rule !== undefined && rules.includes(act.rule)
  const [chosen, setChosen] = useState<string>()
  const [doneCount, setDoneCount] = useState(0)
  /** Closing the dialog stops what it does one by one. */
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const rule = hasRules ? (chosen ?? (isOwnRule ? act.rule! : '')) : ''
  const decide = useMutation({
    mutationFn: async () => {
      const more = { ...(rule && { rule }), ...(days && { days: Number(days) }) }
      // Whoever reads one of the templates reads it in their own language.
      const words = recorded[templates.indexOf(reason.trim())] ?? reason.trim()
      const body = { ...act.body, ...more, reason: words }
      const key = await keyOf(fid)
      /** What stood so already is not undone. */
      const unchanged = new Set<string>()
      const entries = new Map<string, number>()
      const decideOn = async ({ path }: { readonly path: string }) => {
        const answer = await callPlatform<Answer>(key, path, body).catch(inWords)
        if (answer?.changed === false) unchanged.add(path)
        if (answer?.entry !== undefined) entries.set(path, answer.entry)
      }
      if (act.each) {
        stop.current = new AbortController()
        const done = await oneByOne(act.each, decideOn, setDoneCount, stop.current.signal)
        return { ...done, unchanged, entries, reason: words }
      }
      await decideOn(act)
      return { failed: [], left: [], unchanged, entries, reason: words }
    },
    onSuccess: async ({ failed, left, ...outcome }) => {
      act.done?.(left)
      const isStopped = left.length > 0
      if (failed.length === 0 && !isStopped) onClose()
      // Of those that failed the dialog tells before.
      if (failed.length === 0 || isStopped) tellDecided(act, undo, { left, ...outcome })
      await queries.invalidateQueries()
    },
    // Others may have decided meanwhile: then nothing is left to decide.
    onError: (error) => {
      if (isDecided(error)) {
        act.done?.([])
        onClose()
        tell(error.message)
      }
      return queries.invalidateQueries({ queryKey: ['own'] })
    },
  })
  // The heading gets the focus when the dialog opens, so that a key that was meant for the page does not change a choice.
  useEffect(() => {
    dialog.current?.showModal()
    heading.current?.focus()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!decide.isPending && !decide.data && reason.trim()) decide.mutate()
  }
  const close = () => {
    onClose()
    if (decide.data)
      tellDecided(act, undo, {
        ...decide.data,
        left: decide.data.failed.map(({ item }) => item),
      })
  }
  /** At once: the browser tells that a dialog is closed some time later, when the next one may be open. */
  const cancel = (event: SyntheticEvent) => {
    event.preventDefault()
    close()
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
      className="dialog decide"
      aria-labelledby={id}
      onClose={close}
      onCancel={cancel}
    >
      <form className="fields" onSubmit={submit} onKeyDown={onKey}>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {act.title}
        </h2>
        {act.about && (
          <blockquote className="quoted">
            <p className="clamp" dir="auto">
              {cleanText(act.about)}
            </p>
          </blockquote>
        )}
        {act.each && (
          <ul className="decide-each">
            {act.each.map(({ path, name, about }) => (
              <li key={path}>
                <bdi>{name}</bdi>: <bdi>{cleanText(about)}</bdi>
              </li>
            ))}
          </ul>
        )}
        {act.warning && <Notice tone="warn">{act.warning}</Notice>}
        <p className="muted">{act.consequence}</p>
        {act.rule !== undefined && known && !isOwnRule && (
          <p className="muted">
            {rich('Who reported it names a rule that is not among those of this server: “{rule}”', {
              rule: <bdi>{cleanText(act.rule)}</bdi>,
            })}
          </p>
        )}
        {hasRules && <RuleChoice rules={rules} value={rule} choose={setChosen} />}
        {act.kind === 'suspend' && <DaysChoice value={days} choose={setDays} />}
        {act.kind && (
          <Templates
            templates={templates}
            chosen={own === undefined ? template : OWN_WORDS}
            choose={(at) => {
              setOwn(at === OWN_WORDS ? '' : undefined)
              setTemplate(at)
            }}
          />
        )}
        <Field label={t('Reason')} help={t('The people concerned read it, and the log shows it.')}>
          {(field, help) => (
            <textarea
              id={field}
              required
              rows={3}
              maxLength={MAX_REASON_CHARACTERS}
              aria-describedby={help}
              value={reason}
              onChange={({ target }) => setOwn(target.value)}
            />
          )}
        </Field>
        <div className="decide-end">
          {decide.error && (
            <Notice tone="bad">{refusalText(decide.error.message, act.people)}</Notice>
          )}
          {decide.data && act.each && decide.data.failed.length > 0 && (
            <NotDoneList
              failed={decide.data.failed}
              count={act.each.length}
              nameOf={({ name }) => name}
              textOf={(message) => refusalText(message, act.people)}
            />
          )}
          <div className="buttons">
            {!decide.data && (
              <button
                type="submit"
                className={act.kind === 'leave' ? 'primary' : 'danger'}
                disabled={decide.isPending || !reason.trim()}
              >
                {!decide.isPending
                  ? act.title
                  : act.each
                    ? progressText(doneCount, act.each.length)
                    : t('Working …')}
              </button>
            )}
            <button type="button" className="secondary" onClick={close}>
              {decide.data ? t('Close') : t('Cancel')}
            </button>
            <span className="muted key">{t('Ctrl+Enter decides')}</span>
          </div>
        </div>
      </form>
    </dialog>
  )
}

type ChoiceProps = { choose: (text: string) => void }

type RuleProps = ChoiceProps & { readonly rules: readonly string[]; readonly value: string }

function RuleChoice({ rules, value, choose }: RuleProps) {
  return (
    <Field label={t('Rule that was broken')} help={t('The reason begins with it.')}>
      {(id, help) => (
        <select
          id={id}
          value={value}
          aria-describedby={help}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">{t('None of them')}</option>
          {[...new Set(rules)].map((rule) => (
            <option key={rule}>{rule}</option>
          ))}
        </select>
      )}
    </Field>
  )
}

function DaysChoice({ value, choose }: ChoiceProps & { value: string }) {
  return (
    <Field
      label={t('For how long')}
      help={
        value === FOR_GOOD
          ? t('Until a moderator ends it.')
          : t('It ends by itself, and can be undone before.')
      }
    >
      {(id, help) => (
        <select
          id={id}
          value={value}
          aria-describedby={help}
          onChange={({ target }) => choose(target.value)}
        >
          {Object.entries(DAYS).map(([days, text]) => (
            <option key={days} value={days}>
              {text}
            </option>
          ))}
          <option value={FOR_GOOD}>{t('For good')}</option>
        </select>
      )}
    </Field>
  )
}

/** The place of no template. */
const OWN_WORDS = -1

type TemplatesProps = {
  templates: readonly string[]
  chosen: number
  choose: (at: number) => void
}

function Templates({ templates, chosen, choose }: TemplatesProps) {
  return (
    <Field label={t('Begin with')} help={t('You can change the words.')}>
      {(id, help) => (
        <select
          id={id}
          aria-describedby={help}
          value={chosen}
          onChange={({ target }) => choose(Number(target.value))}
        >
          {templates.map((text, at) => (
            <option key={text} value={at}>
              {text}
            </option>
          ))}
          <option value={OWN_WORDS}>{t('Own words')}</option>
        </select>
      )}
    </Field>
  )
}

/** Whether a refusal says that it was decided meanwhile. */
const isDecided = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.reason === 'changed_meanwhile'

function inWords(error: unknown): never {
  if (!isDecided(error)) throw error
  const text = t('This was decided already: the log says how, and by whom.')
  throw new Refusal(error.status, text, error)
}

/** What a refusal says, with names. */
function refusalText(message: string, people: People = new Map()): string {
  const text = cleanText(named(message, people))
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const DONE: Readonly<Record<Kind, string>> = {
  leave: t('Left as it is.'),
  warn: t('Warned.'),
  hide: t('Hidden.'),
  'remove-poll': t('Poll removed.'),
  limit: t('Limited.'),
  suspend: t('Suspended.'),
}

type Outcome = {
  /** Those that were not done. */
  readonly left: readonly ActOn[]
  /** The paths of what was as decided already. */
  readonly unchanged: ReadonlySet<string>
  /** By path: the ids in the log of what was done. */
  readonly entries: ReadonlyMap<string, number>
  readonly reason: string
}

/** Says what was done, with the way back where there is one. */
function tellDecided(
  act: Act,
  undo: (act: Act) => void,
  { left, unchanged, entries, reason }: Outcome,
): void {
  const { kind, subject, people, told, each } = act
  const done = each?.filter((one) => !left.includes(one))
  if (done?.length === 0) return
  const back = done
    ? act.undo?.(
        done
          .filter(({ path }) => !unchanged.has(path))
          .map((on) => ({ on, entry: entries.get(on.path) })),
      )
    : kind && subject && !unchanged.has(act.path)
      ? undoOf(
          { action: kind, ...subject, entry: entries.get(act.path), reason },
          people ?? new Map(),
        )
      : undefined
  const text = kind ? DONE[kind] : (told ?? t('Done.'))
  tellDone(text, back && { text: t('Undo'), run: () => undo(back) })
}
