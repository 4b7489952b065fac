import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import { COMPLAINTS, kindName } from '../../shared/complaints.ts'
import { LogFilterForm, logQuery, WHOLE_LOG } from '../../shared/log-filter.tsx'
import { actText, whyText } from '../../shared/log-words.ts'
import { t } from '../../shared/messages.ts'
import { type ModerationStatistics, Statistics } from '../../shared/moderation-statistics.tsx'
import { cleanText, dateText } from '../../shared/text.ts'
import { useServer } from '../parts/server.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Act } from './act.ts'
import { type Case, callPlatform, type Entry, keyOf, type OpenAppeal } from './calls.ts'
import { Decided, Reported, Who } from './case-card.tsx'
import { CaseNotes, NoteForm } from './case-notes.tsx'
import { Cases } from './cases.tsx'
import { Decide } from './decide.tsx'
import { HeldTerms } from './held-terms.tsx'
import { type DecideJoins, JoinQueue, type Joins, without } from './join-queue.tsx'
import { useOwn, useOwnModeration } from './own.ts'
import { fidsIn, named, type People, usePeople, whoIs } from './people.ts'
import { isTakenBack, UNDONE, undoOf } from './undo.ts'
import { actionText, endOf, isoTime, isTitled } from './words.ts'

// The queue of who moderates: open reports and appeals, and the log.

/** How often the queue is asked for, so that what others take and decide is seen. */
const QUEUE_EVERY_MS = 30_000

type LogEntry = Entry & { readonly castText: string | null }
export function Component() {
  const own = useOwnModeration()
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Moderate')}</Title>
      {fid !== undefined && own.isPending ? (
        <Loading what={t('Opening')} />
      ) : own.data?.role ? (
        <Queue key={fid} role={own.data.role} />
      ) : own.error ? (
        <Failed isScreen error={own.error} retry={own.refetch} />
      ) : (
        <Shown isScreen icon="person" heading={t('This page is for moderators of this server')}>
          {fid === undefined && (
            <p>
              <Link to="/join?back=%2Fmoderate" className="primary">
                {t('Join or sign in')}
              </Link>
            </p>
          )}
        </Shown>
      )}
    </>
  )
}

function Queue({ role }: { role: string }) {
  const { fid } = useSession()
  const decideJoins: DecideJoins = async (body) =>
    callPlatform(await keyOf(fid), '/joining/requests/decide', body)
  const [act, setAct] = useState<Act>()
  const [kind, setKind] = useState('')
  const queue = useOwn(
    'queue',
    async (key) => {
      const [joins, cases, appeals] = await Promise.all([
        callPlatform<Joins>(key, '/joining/requests').catch(without),
        callPlatform<{ result: { cases: Case[] } }>(
          key,
          `/moderation/cases${kind && `?kind=${kind}`}`,
        ),
        callPlatform<{ result: { appeals: OpenAppeal[] } }>(key, '/moderation/appeals?limit=20'),
      ])
      return { joins, ...cases.result, ...appeals.result }
    },
    { everyMs: QUEUE_EVERY_MS, which: kind },
  )
  // Asked for before a decision needs them.
  useServer()
  const people = usePeople(queue.data ? fidsOf(queue.data) : [])
  // A look for what is new that fails must not end a decision that is under way.
  if (queue.error && !queue.data) {
    return <Failed isScreen error={queue.error} retry={queue.refetch} />
  }
  if (!queue.data) return <Loading what={t('Loading the queue')} />
  const { joins, cases, appeals } = queue.data
  return (
    <div className="form-screen">
      <h1>{t('Moderate')}</h1>
      <p className="muted">
        {t(
          '{role, select, operator {You are an operator.} other {You are a moderator.}} The log names you; reasons are read by the people whom they concern.',
          { role },
        )}
      </p>
      {act && <Decide key={act.path} act={act} undo={setAct} onClose={() => setAct(undefined)} />}
      {joins.requests.length > 0 && (
        <>
          <h2>{t('People who ask to join')}</h2>
          <JoinQueue joins={joins} decide={decideJoins} />
        </>
      )}
      <h2>{t('Open reports')}</h2>
      {(cases.length > 0 || kind) && <KindChoice kind={kind} choose={setKind} />}
      {cases.length === 0 && (
        <p className="muted">{kind ? t('No such report is open.') : t('No report is open.')}</p>
      )}
      <Cases cases={cases} people={people} onAct={setAct} />
      <h2>{t('Open appeals')}</h2>
      {appeals.length === 0 && <p className="muted">{t('Nobody has appealed.')}</p>}
      <ul className="cards">
        {appeals.map((one) => (
          <AppealCard key={one.id} appeal={one} people={people} onAct={setAct} />
        ))}
      </ul>
      <HeldTerms />
      <Numbers />
      <h2>{t('Log')}</h2>
      <Log onAct={setAct} />
    </div>
  )
}

function KindChoice({ kind, choose }: { kind: string; choose: (kind: string) => void }) {
  const id = useId()
  return (
    <div className="kind-choice">
      <label htmlFor={id}>{t('Show')}</label>
      <select id={id} value={kind} onChange={({ target }) => choose(target.value)}>
        <option value="">{t('All kinds')}</option>
        {[...Object.keys(COMPLAINTS), 'held'].map((one) => (
          <option key={one} value={one}>
            {kindName(one)}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Statistics: the server is asked for them when somebody opens them. */
function Numbers() {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t('Numbers of the last half year')}</summary>
      {isOpen && <NumbersFound />}
    </details>
  )
}

function NumbersFound() {
  const { data, error, refetch } = useOwn('statistics', (key) =>
    callPlatform<{ result: ModerationStatistics }>(key, '/moderation/statistics'),
  )
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what={t('Counting')} />
  return <Statistics found={data.result} />
}

type Found = {
  readonly cases: readonly Case[]
  readonly appeals: readonly OpenAppeal[]
}

/** Whom the page names, those first without whom nothing can be decided. */
const fidsOf = ({ cases, appeals }: Found): number[] => {
  const all = [...cases, ...appeals]
  return [
    ...all.map(({ fid }) => fid),
    ...all.flatMap(({ earlier, notes }) => [
      ...earlier.flatMap(({ actor }) => fidsIn(actor)),
      ...notes.flatMap(({ author }) => fidsIn(author)),
    ]),
    ...appeals.flatMap(({ decided }) => (decided ? fidsIn(decided.actor) : [])),
    ...cases.flatMap(({ taken, reports }) => [
      taken?.fid ?? 0,
      ...reports.map(({ reporterFid }) => reporterFid),
    ]),
  ]
}

type CardProps = { people: People; onAct: (act: Act) => void }

const APPEALED: Readonly<Record<string, { readonly what: string; readonly undone: string }>> = {
  warn: { what: t('Against a warning'), undone: UNDONE.warn },
  suspend: { what: t('Against the suspension'), undone: UNDONE.suspend },
  limit: { what: t('Against the limit of the account'), undone: UNDONE.limit },
}
const HIDDEN = { what: t('Against hiding the {post}'), undone: UNDONE.hide }

/** With what was decided, by whom and about what, as a case shows it. */
function AppealCard({ appeal, people, onAct }: CardProps & { appeal: OpenAppeal }) {
  const { id, action, text, castHash, castText, createdAt, decided, mayAnswer, mayDecide } = appeal
  const [isShown, show] = useState(false)
  const { what, undone } = APPEALED[action] ?? HIDDEN
  const answer = (title: string, consequence: string, outcome: 'reversed' | 'upheld') =>
    onAct({
      ...{ title, people, about: castText ?? undefined },
      consequence: t('{consequence} The member reads your words.', { consequence }),
      path: `/moderation/appeals/${id}/answer`,
      body: { outcome },
      told: t('Answered.'),
    })
  return (
    <li className="card">
      <p>
        <strong>{what}</strong>{' '}
        <span className="muted">
          <Time at={isoTime(createdAt)} />
        </span>
      </p>
      <Who found={appeal} people={people} />
      {castHash && <Reported found={appeal} cast={undefined} isShown={isShown} show={show} />}
      {decided && (
        <p className="muted">
          <Decided entry={decided} people={people} />
        </p>
      )}
      <p>
        <strong>{t('The appeal:')}</strong> <bdi>{cleanText(text)}</bdi>
      </p>
      {mayDecide && <CaseNotes found={appeal} people={people} />}
      {mayAnswer ? (
        <div className="buttons">
          <button
            type="button"
            className="secondary"
            onClick={() => answer(t('Take the decision back'), undone, 'reversed')}
          >
            {t('Take the decision back')}
          </button>
          <button
            type="button"
            className="secondary"
            onClick={() => answer(t('Keep the decision'), t('Nothing changes.'), 'upheld')}
          >
            {t('Keep the decision')}
          </button>
        </div>
      ) : (
        <p className="muted">
          {mayDecide
            ? t('It is against your own decision: somebody else answers it.')
            : t('It is of somebody with a role: the operator answers it.')}
        </p>
      )}
      {mayDecide && <NoteForm fid={appeal.fid} />}
    </li>
  )
}

type LogPage = {
  readonly result: {
    readonly entries: readonly LogEntry[]
    /** Unix seconds, where the page looked at as many as it may. */
    readonly searchedSince?: number
  }
  readonly next?: { readonly cursor: string }
}
const LOG_ROWS = 50

const useStaff = () =>
  useOwn('staff', (key) => callPlatform<{ staff: StaffMember[] }>(key, '/moderation/staff')).data
    ?.staff
type StaffMember = { readonly fid: number; readonly role: string; readonly username?: string }

function Log({ onAct }: Pick<CardProps, 'onAct'>) {
  const { fid } = useSession()
  const [filter, setFilter] = useState(WHOLE_LOG)
  const log = useInfiniteQuery({
    queryKey: ['own', 'log', fid, filter],
    queryFn: async ({ pageParam: cursor }) => {
      const asked = { limit: LOG_ROWS, ...logQuery(filter), ...(cursor && { cursor }) }
      const texts = Object.entries(asked).map(([name, value]) => [name, String(value)])
      const query = new URLSearchParams(texts)
      return callPlatform<LogPage>(await keyOf(fid), `/moderation/log?${query}`)
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next?.cursor,
    retry: false,
    // Who reads further back keeps what is there.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? QUEUE_EVERY_MS : false),
    placeholderData: keepPreviousData,
  })
  const pages = log.data?.pages
  const searchedSince = pages?.at(-1)?.result.searchedSince
  // Two of an act may stand on two pages.
  const all = oneForAnAct(pages?.flatMap(({ result }) => result.entries) ?? [])
  const shown = new Set(all)
  const undone = new Set(all.filter((one, at) => isTakenBack(one, all.slice(0, at))))
  return (
    <>
      <LogFilterForm filter={filter} choose={setFilter} useStaff={useStaff} />
      {log.error && <Failed error={log.error} retry={log.refetch} />}
      {!pages && !log.error && <Loading what={t('Loading')} />}
      {pages?.every(({ result }) => result.entries.length === 0) && (
        <p className="muted">{t('Nothing matches')}</p>
      )}
      <ul className="cards">
        {pages?.map(({ result }, at) => (
          <LogRows
            key={`${log.data?.pageParams[at]}`}
            entries={result.entries.filter((one) => shown.has(one))}
            undone={undone}
            onAct={onAct}
          />
        ))}
      </ul>
      {searchedSince !== undefined && (
        <p className="muted">{t('Searched back to {time}.', { time: dateText(searchedSince) })}</p>
      )}
      {log.hasNextPage && (
        <button
          type="button"
          className="secondary"
          disabled={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          {t('Show more')}
        </button>
      )}
    </>
  )
}

type LogRowsProps = Pick<CardProps, 'onAct'> & {
  entries: readonly LogEntry[]
  /** What was taken back: it cannot be once more. */
  undone: ReadonlySet<LogEntry>
}

/** One page: so many people can be asked for at once. */
function LogRows({ entries, undone, onAct }: LogRowsProps) {
  const people = usePeople(entries.flatMap(({ fid, actor }) => [fid ?? 0, ...fidsIn(actor)]))
  return entries.map((one) => (
    <LogRow
      key={one.id}
      entry={one}
      undo={undone.has(one) ? undefined : undoOf({ ...one, entry: one.id }, people)}
      people={people}
      onAct={onAct}
    />
  ))
}

/** Answers to reports and appeals stand in the log beside what was done. */
const ANSWERS = ['resolve', 'answer']

/** One entry for each act: an answer is left out where what was done with it is there. */
function oneForAnAct(entries: readonly LogEntry[]): LogEntry[] {
  const keyOfAct = ({ at, actor, fid, reason }: Entry) => [at, actor, fid, reason].join('\n')
  const done = new Set(
    entries.filter(({ action }) => !ANSWERS.includes(action)).map((one) => keyOfAct(one)),
  )
  return entries.filter((one) => !ANSWERS.includes(one.action) || !done.has(keyOfAct(one)))
}

/** What a decision names besides the account. */
function LogName({ entry }: { entry: LogEntry }) {
  const { action, name } = entry
  const until = endOf(entry)
  if (until) return t('until {until}', { until })
  if (action === 'appoint') return name === 'operator' ? t('operator') : t('moderator')
  return <bdi>{cleanText(name ?? '')}</bdi>
}

/** What was done to the server, or to who is no member yet: who did what, as the room has it. */
function Sentence({ entry, people }: Omit<CardProps, 'onAct'> & { entry: LogEntry }) {
  const { at, actor, fid } = entry
  const why = whyText(entry)
  const done = (
    <strong>
      <bdi>{actText(entry, fid ? whoIs(fid, people) : t('somebody'))}</bdi>
    </strong>
  )
  return (
    <li className="card">
      <p>
        <bdi>{cleanText(named(actor, people))}</bdi>{' '}
        {fid ? <Link to={`/@!${fid}`}>{done}</Link> : done}
        {why && (
          <>
            : <bdi>{why}</bdi>
          </>
        )}
      </p>
      <p className="muted">
        <Time at={isoTime(at)} />
      </p>
    </li>
  )
}

type LogRowProps = CardProps & { entry: LogEntry; undo: Act | undefined }

function LogRow({ entry, undo, people, onAct }: LogRowProps) {
  const { at, actor, action, fid, name, castHash, castText } = entry
  const why = whyText(entry)
  if (!isTitled(action)) return <Sentence entry={entry} people={people} />
  return (
    <li className="card">
      <p>
        <strong>{actionText(entry)}</strong>
        {name && action !== 'answer' && action !== 'unwarn' && (
          <>
            {' '}
            <LogName entry={entry} />
          </>
        )}
        {fid !== null && fid !== 0 && (
          <>
            {' '}
            <Link to={`/@!${fid}`}>
              <bdi>{whoIs(fid, people)}</bdi>
            </Link>
          </>
        )}
        {why && (
          <>
            : <bdi>{why}</bdi>
          </>
        )}
      </p>
      {castHash && castText !== null && (
        <p className="clamp">
          <Link to={`/cast/${castHash}`}>
            <bdi>{cleanText(castText) || t('{Post} without text')}</bdi>
          </Link>
        </p>
      )}
      <p className="muted">
        <bdi>{cleanText(named(actor, people))}</bdi>, <Time at={isoTime(at)} />
      </p>
      {undo && (
        <button type="button" className="secondary" onClick={() => onAct(undo)}>
          {undo.title}
        </button>
      )}
    </li>
  )
}
