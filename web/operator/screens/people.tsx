import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Portrait } from '../../client/parts/person.tsx'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { chosenText, useChosen } from '../../shared/one-by-one.tsx'
import { longListText } from '../../shared/text.ts'
import { ask, type People, type Person } from '../api.ts'
import { accountsDecision, eraseDecision, handleOf, notYet, suspension } from '../decisions.ts'
import { Decide, type Decision, type Outcome } from '../parts/decide.tsx'
import { Loaded, Section, ShowMore } from '../parts/section.tsx'
import { PersonLink, someone } from '../parts/who.tsx'
import { dayText } from '../text.ts'

const LISTS = {
  all: t('All', undefined, 'a list of accounts'),
  reported: t('With open reports'),
  suspended: t('Suspended', undefined, 'a list of accounts'),
  limited: t('Limited', undefined, 'a list of accounts'),
  staff: t('With a role', undefined, 'a list of accounts'),
} as const
type List = keyof typeof LISTS
const ORDERS = {
  newest: t('Newest first'),
  seen: t('Last seen first'),
  reports: t('Most reported first'),
} as const
type Order = keyof typeof ORDERS
const LIMIT = 50

export function PeopleScreen() {
  const [list, setList] = useState<List>('all')
  const [order, setOrder] = useState<Order>('newest')
  const [text, setText] = useState('')
  const [q, setQ] = useState('')
  const [decision, setDecision] = useState<Decision>()
  const [outcome, setOutcome] = useState<Outcome>()
  const people = useInfiniteQuery({
    queryKey: ['people', list, order, q],
    queryFn: ({ pageParam: cursor }) =>
      ask<People>('/people', {
        query: { limit: LIMIT, ...(q ? { q } : { list, order }), ...(cursor && { cursor }) },
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
      {decision && (
        <Decide decision={decision} onClose={() => setDecision(undefined)} onDone={setOutcome} />
      )}
      <Section heading={t('Accounts')} note={t('Hidden accounts are shown here too.')}>
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
          <Choice label={t('Show')} of={LISTS} value={list} choose={setList} isOff={q !== ''} />
          <Choice label={t('Order')} of={ORDERS} value={order} choose={setOrder} isOff={q !== ''} />
        </form>
        <Loaded query={people}>
          {({ pages }) => (
            <Found
              people={pages.flatMap(({ result }) => result.people)}
              onDecide={setDecision}
              outcome={outcome}
              onRead={() => setOutcome(undefined)}
            />
          )}
        </Loaded>
        <ShowMore query={people} />
      </Section>
    </>
  )
}

type ChoiceProps<K extends string> = {
  label: string
  of: Readonly<Record<K, string>>
  value: K
  choose: (key: K) => void
  isOff: boolean
}

const Choice = <K extends string>({ label, of, value, choose, isOff }: ChoiceProps<K>) => (
  <label className="field">
    <span>{label}</span>
    <select value={value} disabled={isOff} onChange={({ target }) => choose(target.value as K)}>
      {Object.entries<string>(of).map(([key, title]) => (
        <option key={key} value={key}>
          {title}
        </option>
      ))}
    </select>
  </label>
)

type FoundProps = {
  readonly people: readonly Person[]
  readonly onDecide: (one: Decision) => void
  /** Of the last decision. */
  readonly outcome: Outcome | undefined
  /** Called when it need not be told any more. */
  readonly onRead: () => void
}

function Found({ people, onDecide, outcome, onRead }: FoundProps) {
  const { chosen, isChosen, mayChoose, choose, toggle } = useChosen(people, fidOf)
  const decideOn = (action: 'suspend' | 'limit') =>
    onDecide(accountsDecision(notYet(chosen, action), action, choose))
  const many = (action: 'suspend' | 'limit', text: string) => (
    <button
      type="button"
      className="secondary"
      disabled={notYet(chosen, action).length === 0}
      onClick={() => decideOn(action)}
    >
      {text}
    </button>
  )
  return (
    <>
      {people.length === 0 ? (
        <Empty heading={t('No accounts match')} />
      ) : (
        <ul className="people" aria-label={t('Accounts')}>
          {people.map((person) => (
            <li key={person.fid}>
              <input
                type="checkbox"
                className="choose"
                aria-label={t('Choose {who}', { who: handleOf(person) })}
                checked={isChosen(person)}
                disabled={!mayChoose(person)}
                onChange={() => toggle(person)}
              />
              <Portrait user={someone(person)} size="s" />
              <div>
                <Name person={person} />
                <Facts person={person} />
              </div>
              <span className="buttons">
                <button
                  type="button"
                  className="secondary"
                  onClick={() => onDecide(suspension(person))}
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
      )}
      {(chosen.length > 0 || outcome) && (
        <div className="chosen">
          {outcome && <Told {...outcome} {...{ onDecide, onRead }} />}
          {chosen.length > 0 && (
            <>
              <span role="status">{chosenText(chosen.length)}</span>
              <span className="buttons">
                {many('limit', t('Limit them'))}
                {many('suspend', t('Suspend them'))}
                <button type="button" className="secondary" onClick={() => choose([])}>
                  {t('Choose none')}
                </button>
              </span>
            </>
          )}
        </div>
      )}
    </>
  )
}

/** What was done last, with what takes it back. */
const Told = ({
  told,
  undo,
  onDecide,
  onRead,
}: Outcome & Pick<FoundProps, 'onDecide' | 'onRead'>) => (
  <>
    <span role="status">{told}</span>
    <span className="buttons">
      {undo && (
        <button type="button" className="secondary" onClick={() => onDecide(undo)}>
          {t('Undo')}
        </button>
      )}
      <button type="button" className="quiet" onClick={onRead}>
        {t('Close')}
      </button>
    </span>
  </>
)

const fidOf = ({ fid }: Person) => fid

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
  const { isSuspended, isLimited, isErased, role } = person
  return (
    <p>
      <PersonLink {...person} />
      {isSuspended && <strong className="fault"> {t('suspended')}</strong>}
      {isLimited && <strong> {t('limited', undefined, 'an account')}</strong>}
      {role && (
        <span className="muted"> {role === 'operator' ? t('operator') : t('moderator')}</span>
      )}
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
