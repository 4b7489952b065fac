import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { findKey } from '../act/key-store.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { type Appeal, callPlatform, type OwnModeration, useOwn, useOwnModeration } from './calls.ts'
import { isoTime } from './words.ts'

// The queue of who moderates: open reports and appeals, and the log.

const MAX_REASON_CHARACTERS = 2_000

type Report = OwnModeration['reports'][number] & { readonly reporterFid: number }
type OpenAppeal = Appeal & { readonly fid: number; readonly castText: string | null }
type Entry = {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly action: string
  readonly fid: number | null
  readonly name: string | null
  readonly castHash: string | null
  readonly reason: string
}

/** What is about to be done. */
type Act = {
  readonly title: string
  readonly consequence: string
  readonly path: string
  readonly body?: object
}

export function Component() {
  const own = useOwnModeration()
  const { fid } = useSession()
  return (
    <>
      <Title>Moderate</Title>
      {fid !== undefined && own.isPending ? (
        <Loading what="Opening" />
      ) : own.data?.role ? (
        <Queue role={own.data.role} />
      ) : (
        <Shown isScreen icon="person" heading="This page is for moderators of this server" />
      )}
    </>
  )
}

function Queue({ role }: { role: string }) {
  const [act, setAct] = useState<Act>()
  const queue = useOwn('queue', async (key) => {
    const [reports, appeals, log] = await Promise.all([
      callPlatform<{ result: { reports: Report[] } }>(key, '/moderation/reports'),
      callPlatform<{ result: { appeals: OpenAppeal[] } }>(key, '/moderation/appeals'),
      callPlatform<{ result: { entries: Entry[] } }>(key, '/moderation/log?limit=50'),
    ])
    return { ...reports.result, ...appeals.result, ...log.result }
  })
  if (queue.error) return <Failed isScreen error={queue.error} retry={queue.refetch} />
  if (!queue.data) return <Loading what="Loading the queue" />
  const { reports, appeals, entries } = queue.data
  return (
    <div className="form-screen">
      <h1>Moderate</h1>
      <p className="muted">
        You are {role}. The log names you; reasons are read by the people whom they concern.
      </p>
      {act && <Decide act={act} onClose={() => setAct(undefined)} />}
      <h2>Open reports</h2>
      {reports.length === 0 && <p className="muted">Nobody has reported anything.</p>}
      <ul className="cards">
        {reports.map((one) => (
          <ReportCard key={one.id} report={one} onAct={setAct} />
        ))}
      </ul>
      <h2>Open appeals</h2>
      {appeals.length === 0 && <p className="muted">Nobody has appealed.</p>}
      <ul className="cards">
        {appeals.map((one) => (
          <AppealCard key={one.id} appeal={one} onAct={setAct} />
        ))}
      </ul>
      <h2>Log</h2>
      <ul className="cards">
        {entries.map((one) => (
          <LogEntry key={one.id} entry={one} onAct={setAct} />
        ))}
      </ul>
    </div>
  )
}

const suspend = (fid: number): Act => ({
  title: `Suspend account ${fid}`,
  consequence: 'Everything of the account is hidden at once, and its new messages are refused.',
  path: `/moderation/accounts/${fid}/suspend`,
})
const hide = (hash: string): Act => ({
  title: 'Hide the cast',
  consequence: 'Nobody sees it any more. Reactions and replies to it stay.',
  path: `/moderation/casts/${hash}/hide`,
})
const UNDO: Readonly<Record<string, (entry: Entry) => Act>> = {
  suspend: ({ fid }) => ({
    title: `Restore account ${fid}`,
    consequence: 'Everything of the account is shown as before.',
    path: `/moderation/accounts/${fid}/restore`,
  }),
  hide: ({ castHash }) => ({
    title: 'Show the cast again',
    consequence: 'Everybody sees it again.',
    path: `/moderation/casts/${castHash}/unhide`,
  }),
}

type CardProps = { onAct: (act: Act) => void }

function ReportCard({ report, onAct }: CardProps & { report: Report }) {
  const { id, fid, castHash, reason, reporterFid, createdAt } = report
  return (
    <li className="card">
      <p>
        <bdi>{cleanText(reason)}</bdi>
      </p>
      <p className="muted">
        About <Link to={`/@!${fid}`}>account {fid}</Link>
        {castHash && (
          <>
            , <Link to={`/cast/${castHash}`}>this cast</Link>
          </>
        )}
        . By <Link to={`/@!${reporterFid}`}>account {reporterFid}</Link>,{' '}
        <Time at={isoTime(createdAt)} />.
      </p>
      <div className="buttons">
        {castHash && (
          <button type="button" className="secondary" onClick={() => onAct(hide(castHash))}>
            Hide the cast
          </button>
        )}
        <button type="button" className="secondary" onClick={() => onAct(suspend(fid))}>
          Suspend {fid}
        </button>
        <button
          type="button"
          className="secondary"
          onClick={() =>
            onAct({
              title: 'Answer the report',
              consequence: 'The report leaves the queue. Who reported reads your words.',
              path: `/moderation/reports/${id}/resolve`,
            })
          }
        >
          Answer
        </button>
      </div>
    </li>
  )
}

function AppealCard({ appeal, onAct }: CardProps & { appeal: OpenAppeal }) {
  const { id, fid, action, text, castText, createdAt } = appeal
  const path = `/moderation/appeals/${id}/answer`
  const what = action === 'suspend' ? 'the suspension' : 'a hidden cast'
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
              consequence: 'The content is shown again. The member reads your words.',
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

function LogEntry({ entry, onAct }: CardProps & { entry: Entry }) {
  const { at, actor, action, fid, name, reason } = entry
  const undo = UNDO[action]
  return (
    <li className="card">
      <p>
        <strong>{action}</strong> {name && <bdi>{cleanText(name)}</bdi>}{' '}
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

function Decide({ act, onClose }: { act: Act; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { fid } = useSession()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const decide = useMutation({
    mutationFn: async () => {
      const key = await findKey(fid!)
      if (!key) throw new Error('Sign in again: this browser has no key of your account.')
      await callPlatform(key, act.path, { ...act.body, reason: reason.trim() })
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
    <dialog ref={dialog} className="dialog" aria-labelledby="decide" onClose={onClose}>
      <form className="fields" onSubmit={submit}>
        <h2 id="decide">{act.title}</h2>
        <p className="muted">{act.consequence}</p>
        <Field label="Reason" help="The log shows it, and so do the people whom it concerns.">
          {(id, help) => (
            <textarea
              id={id}
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
