import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Portrait } from '../../client/parts/person.tsx'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { longListText } from '../../shared/text.ts'
import { ask, type People, type Person } from '../api.ts'
import { accountDecision, eraseDecision, handleOf } from '../decisions.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { Loaded, Section, ShowMore } from '../parts/section.tsx'
import { PersonLink, someone } from '../parts/who.tsx'
import { dayText } from '../text.ts'

const LISTS = {
  all: t('All', undefined, 'a list of accounts'),
  reported: t('With open reports'),
  suspended: t('Suspended', undefined, 'a list of accounts'),
} as const
type List = keyof typeof LISTS
const LIMIT = 50

export function PeopleScreen() {
  const [list, setList] = useState<List>('all')
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const [decision, setDecision] = useState<Decision>()
  const people = useInfiniteQuery({
    queryKey: ['people', list, q],
    queryFn: ({ pageParam: cursor }) =>
      ask<People>('/people', {
        query: { limit: LIMIT, ...(q ? { q } : { list }), ...(cursor && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next?.cursor,
  })
  const search = (event: FormEvent) => {
    event.preventDefault()
    setQ(text.trim())
  }
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section
        heading={t('Accounts')}
        note={t('The newest first. Hidden accounts are shown here too.')}
      >
        <form className="inline-form" onSubmit={search}>
          <label className="field grow">
            <span>{t('Fid, name or custody address')}</span>
            <input
              type="search"
              maxLength={64}
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <button type="submit" className="primary">
            {t('Search')}
          </button>
          <label className="field">
            <span>{t('Show')}</span>
            <select
              value={list}
              disabled={q !== ''}
              onChange={(event) => setList(event.target.value as List)}
            >
              {Object.entries(LISTS).map(([key, title]) => (
                <option key={key} value={key}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        </form>
        <Loaded query={people}>
          {({ pages }) => (
            <Found people={pages.flatMap(({ result }) => result.people)} onDecide={setDecision} />
          )}
        </Loaded>
        <ShowMore query={people} />
      </Section>
    </>
  )
}

type FoundProps = {
  readonly people: readonly Person[]
  readonly onDecide: (one: Decision) => void
}

function Found({ people, onDecide }: FoundProps) {
  if (people.length === 0) return <Empty heading={t('No accounts match')} />
  return (
    <ul className="people" aria-label={t('Accounts')}>
      {people.map((person) => (
        <li key={person.fid}>
          <Portrait user={someone(person)} size="s" />
          <div>
            <Name person={person} />
            <Facts person={person} />
          </div>
          <span className="buttons">
            <button
              type="button"
              className="secondary"
              onClick={() =>
                onDecide(accountDecision(person, person.isSuspended ? 'restore' : 'suspend'))
              }
            >
              {person.isSuspended ? t('Restore') : t('Suspend')}
              <span className="unseen"> {handleOf(person)}</span>
            </button>
            <button
              type="button"
              className="secondary"
              onClick={() => onDecide(eraseDecision(person))}
            >
              {t('Erase')}
              <span className="unseen"> {handleOf(person)}</span>
            </button>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** What is known of an account, in as few lines as there is room for. */
function Facts({ person }: { person: Person }) {
  const { fid, joinedAt, lastSeenAt, openReports, resolvedReports } = person
  const facts = [
    ...(person.name === undefined ? [] : [[t('Number'), fid]]),
    [t('Joined'), dayText(joinedAt)],
    [t('Last seen'), dayText(lastSeenAt)],
    [t('Storage'), storedText(person)],
    ...(openReports + resolvedReports > 0 ? [[t('Reports'), reportText(person)]] : []),
  ]
  return (
    <dl className="facts-line muted">
      {facts.map(([what, value]) => (
        <div key={what}>
          <dt>{what}:</dt> <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Name({ person }: { person: Person }) {
  const { isSuspended, isErased } = person
  return (
    <p>
      <PersonLink {...person} />
      {isSuspended && <strong className="fault"> {t('suspended')}</strong>}
      {isErased && <span className="muted"> {t('was erased')}</span>}
    </p>
  )
}

const storedText = ({ posts, messages, units }: Person): string =>
  longListText([
    t('{postsText, plural, one {# {post}} other {# {posts}}}', { postsText: posts }),
    t('{messages, plural, one {# message} other {# messages}}', { messages }),
    t('{units, plural, one {# unit} other {# units}}', { units }),
  ])

const reportText = ({ openReports, resolvedReports }: Person): string =>
  t(
    '{open, plural, one {# open} other {# open}}, {resolved, plural, one {# resolved} other {# resolved}}',
    { open: openReports, resolved: resolvedReports },
  )
