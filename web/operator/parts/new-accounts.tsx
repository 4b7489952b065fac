import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { BY_OPERATOR } from '../../shared/moderation-statistics.tsx'
import { rich } from '../../shared/rich.tsx'
import { ask } from '../api.ts'
import { Loaded, Section } from './section.tsx'
import { Time } from './time.tsx'
import { useActors } from './who.tsx'

type Rule = {
  readonly days: number
  readonly posts: number | null
  readonly links: number | null
  readonly mentions: number | null
  readonly changedAt: number | null
  readonly changedBy: string | null
}

const PATH = '/moderation/new-accounts'
/** What stands in a field at first, its greatest value, and what it is for. */
const FIELDS = {
  days: [t('Days that an account is new'), 90, t('Empty or 0: nothing is limited.')],
  posts: [t('{Posts} in 24 hours'), 1_000, t('Replies count. Empty: as many as others.')],
  links: [
    t('Links in one {post}'),
    10,
    t('Pictures and polls of this server are none. Empty: any.'),
  ],
  mentions: [t('Mentions in one {post}'), 10, t('Empty: any.')],
} as const
type Field = keyof typeof FIELDS
const NAMES = Object.keys(FIELDS) as Field[]

/** What new accounts may send. */
export function NewAccounts() {
  const rule = useQuery({ queryKey: ['new accounts'], queryFn: () => ask<Rule>(PATH) })
  return (
    <Section
      heading={t('New accounts')}
      note={t(
        'Off unless you say so. In force with the next {post}. Members read it before they write; accounts with a role are not limited.',
      )}
    >
      <Loaded query={rule}>{(given) => <Form key={given.changedAt} rule={given} />}</Loaded>
    </Section>
  )
}

function Form({ rule }: { rule: Rule }) {
  const queries = useQueryClient()
  const nameActor = useActors(BY_OPERATOR)
  const [texts, setTexts] = useState<Record<Field, string>>({
    days: rule.days === 0 ? '' : `${rule.days}`,
    posts: `${rule.posts ?? ''}`,
    links: `${rule.links ?? ''}`,
    mentions: `${rule.mentions ?? ''}`,
  })
  const save = useMutation({
    mutationFn: () => {
      const given = NAMES.filter((name) => texts[name] !== '')
      const body = Object.fromEntries(given.map((name) => [name, Number(texts[name])]))
      return ask(PATH, { method: 'PUT', body: { ...body, days: Number(texts.days) } })
    },
    onSuccess: () => queries.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stacked" onSubmit={submit}>
      {NAMES.map((name) => {
        const [label, max, help] = FIELDS[name]
        return (
          <div key={name}>
            <div className="field narrow">
              <label htmlFor={`new-${name}`}>{label}</label>
              <input
                id={`new-${name}`}
                type="number"
                min={0}
                max={max}
                inputMode="numeric"
                aria-describedby={`new-${name}-help`}
                value={texts[name]}
                onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
              />
            </div>
            <p id={`new-${name}-help`} className="muted">
              {help}
            </p>
          </div>
        )
      })}
      <div className="buttons">
        <button type="submit" className="primary" disabled={save.isPending}>
          {t('Save')}
        </button>
      </div>
      <p role="status" className={save.error ? 'fault' : 'muted'}>
        {save.error?.message}
        {!save.error &&
          rule.changedAt !== null &&
          rich('Changed {time} by {nameActor}.', {
            time: <Time at={rule.changedAt} />,
            nameActor: <bdi>{nameActor(rule.changedBy ?? '')}</bdi>,
          })}
      </p>
    </form>
  )
}
