import { useId, useState } from 'react'
import { Link } from 'react-router'
import { COMPLAINTS, kindName } from '../../shared/complaints.ts'
import { type ModerationStatistics, Statistics } from '../../shared/moderation-statistics.tsx'
import { cleanText } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import {
  type Appeal,
  type Case,
  callPlatform,
  type Entry,
  keyOf,
  useOwn,
  useOwnModeration,
} from './calls.ts'
import { Cases } from './cases.tsx'
import { type Act, Decide } from './decide.tsx'
import { HeldTerms } from './held-terms.tsx'
import { type DecideJoins, JoinQueue, type Joins, without } from './join-queue.tsx'
import { isoTime } from './words.ts'

// The queue of who moderates: open reports and appeals, and the log.

/** How often the queue is asked for, so that what others take and decide is seen. */
const QUEUE_EVERY_MS = 30_000

type OpenAppeal = Appeal & { readonly fid: number; readonly castText: string | null }
export function Component() {
  const own = useOwnModeration()
  const { fid } = useSession()
  return (
    <>
      <Title>Moderate</Title>
      {fid !== undefined && own.isPending ? (
        <Loading what="Opening" />
      ) : own.data?.role ? (
        <Queue key={fid} role={own.data.role} />
      ) : (
        <Shown isScreen icon="person" heading="This page is for moderators of this server" />
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
      const [joins, cases, appeals, log] = await Promise.all([
        callPlatform<Joins>(key, '/joining/requests').catch(without),
        callPlatform<{ result: { cases: Case[] } }>(
          key,
          `/moderation/cases${kind && `?kind=${kind}`}`,
        ),
        callPlatform<{ result: { appeals: OpenAppeal[] } }>(key, '/moderation/appeals'),
        callPlatform<{ result: { entries: Entry[] } }>(key, '/moderation/log?limit=50'),
      ])
      return { joins, ...cases.result, ...appeals.result, ...log.result }
    },
    { everyMs: QUEUE_EVERY_MS, which: kind },
  )
  if (queue.error) return <Failed isScreen error={queue.error} retry={queue.refetch} />
  if (!queue.data) return <Loading what="Loading the queue" />
  const { joins, cases, appeals, entries } = queue.data
  return (
    <div className="form-screen">
      <h1>Moderate</h1>
      <p className="muted">
        You are {role}. The log names you; reasons are read by the people whom they concern.
      </p>
      {act && <Decide act={act} onClose={() => setAct(undefined)} />}
      {joins.requests.length > 0 && (
        <>
          <h2>People who ask to join</h2>
          <JoinQueue joins={joins} decide={decideJoins} />
        </>
      )}
      <h2>Open reports</h2>
      {(cases.length > 0 || kind) && <KindChoice kind={kind} choose={setKind} />}
      {cases.length === 0 && (
        <p className="muted">{kind ? 'No such report is open.' : 'No report is open.'}</p>
      )}
      <Cases cases={cases} onAct={setAct} />
      <h2>Open appeals</h2>
      {appeals.length === 0 && <p className="muted">Nobody has appealed.</p>}
      <ul className="cards">
        {appeals.map((one) => (
          <AppealCard key={one.id} appeal={one} onAct={setAct} />
        ))}
      </ul>
      <HeldTerms />
      <Numbers />
      <h2>Log</h2>
      <ul className="cards">
        {entries.map((one) => (
          <LogEntry key={one.id} entry={one} onAct={setAct} />
        ))}
      </ul>
    </div>
  )
}

function KindChoice({ kind, choose }: { kind: string; choose: (kind: string) => void }) {
  const id = useId()
  return (
    <div className="kind-choice">
      <label htmlFor={id}>Show</label>
      <select id={id} value={kind} onChange={({ target }) => choose(target.value)}>
        <option value="">All kinds</option>
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
      <summary>Numbers of the last half year</summary>
      {isOpen && <NumbersFound />}
    </details>
  )
}

function NumbersFound() {
  const { data, error, refetch } = useOwn('statistics', (key) =>
    callPlatform<{ result: ModerationStatistics }>(key, '/moderation/statistics'),
  )
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading what="Counting" />
  return <Statistics found={data.result} />
}

/** What happens when a decision of this kind is taken back, in the words of the dialog. */
const UNDONE = {
  suspend: 'Everything of the account is shown as before.',
  limit: 'Trends, recommendations, searches and notifications show the account as before.',
  hide: 'Everybody sees it again.',
}

const UNDO: Readonly<Record<string, (entry: Entry) => Act>> = {
  suspend: ({ fid }) => ({
    title: `Restore account ${fid}`,
    consequence: UNDONE.suspend,
    path: `/moderation/accounts/${fid}/restore`,
  }),
  limit: ({ fid }) => ({
    title: `End the limit of account ${fid}`,
    consequence: UNDONE.limit,
    path: `/moderation/accounts/${fid}/unlimit`,
  }),
  hide: ({ castHash }) => ({
    title: `Show the ${words.post} again`,
    consequence: UNDONE.hide,
    path: `/moderation/casts/${castHash}/unhide`,
  }),
}

type CardProps = { onAct: (act: Act) => void }

const APPEALED: Readonly<Record<string, { readonly what: string; readonly undone: string }>> = {
  suspend: { what: 'the suspension', undone: UNDONE.suspend },
  limit: { what: 'the limit of the account', undone: UNDONE.limit },
}
const HIDDEN = { what: `a hidden ${words.post}`, undone: UNDONE.hide }

function AppealCard({ appeal, onAct }: CardProps & { appeal: OpenAppeal }) {
  const { id, fid, action, text, castText, createdAt } = appeal
  const path = `/moderation/appeals/${id}/answer`
  const { what, undone } = APPEALED[action] ?? HIDDEN
  return (
    <li className="card">
      {castText && (
        <blockquote className="quoted" dir="auto">
          {cleanText(castText)}
        </blockquote>
      )}
      <p>
        <bdi>{cleanText(text)}</bdi>
      </p>
      <p className="muted">
        <Link to={`/@!${fid}`}>Account {fid}</Link> about {what}, <Time at={isoTime(createdAt)} />.
      </p>
      <div className="buttons">
        <button
          type="button"
          className="secondary"
          onClick={() =>
            onAct({
              title: 'Take the decision back',
              consequence: `${undone} The member reads your words.`,
              path,
              body: { outcome: 'reversed' },
            })
          }
        >
          Take the decision back
        </button>
        <button
          type="button"
          className="secondary"
          onClick={() =>
            onAct({
              title: 'Keep the decision',
              consequence: 'Nothing changes. The member reads your words.',
              path,
              body: { outcome: 'upheld' },
            })
          }
        >
          Keep the decision
        </button>
      </div>
    </li>
  )
}

/** Actions whose names say too little. */
const ACTIONS: Readonly<Record<string, string>> = {
  resolve: 'report answered,',
  answer: 'appeal answered,',
  hold: 'held for review,',
  'list-term': 'holds from now on',
  'unlist-term': 'holds no longer',
}

function LogEntry({ entry, onAct }: CardProps & { entry: Entry }) {
  const { at, actor, action, fid, name, reason } = entry
  const undo = UNDO[action]
  return (
    <li className="card">
      <p>
        <strong>{ACTIONS[action] ?? action}</strong> {name && <bdi>{cleanText(name)}</bdi>}{' '}
        {fid !== null && `account ${fid}`}: <bdi>{cleanText(reason)}</bdi>
      </p>
      <p className="muted">
        <bdi>{cleanText(actor)}</bdi>, <Time at={isoTime(at)} />
      </p>
      {undo && (
        <button type="button" className="secondary" onClick={() => onAct(undo(entry))}>
          {undo(entry).title}
        </button>
      )}
    </li>
  )
}
