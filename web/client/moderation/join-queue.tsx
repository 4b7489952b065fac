import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { Failed } from '../parts/states.tsx'
import { Ago } from '../parts/time.tsx'
import { isoTime } from './words.ts'
import './join-queue.css'

// People who wait to be let in, for moderators in the client and for the operator in the room.

export type JoinRequest = {
  readonly address: string
  readonly called: string
  readonly reason: string
  /** Unix seconds. */
  readonly askedAt: number
}
export type Signup = 'open' | 'invite' | 'approval' | 'closed'
export type Joins = {
  /** Who may join now. */
  readonly signup: Signup
  readonly requests: readonly JoinRequest[]
}
type Decision = {
  readonly outcome: 'approved' | 'declined'
  readonly answer?: string
  readonly requests: readonly Pick<JoinRequest, 'address' | 'askedAt'>[]
}
/** A decision, and about whom: picks may be others when its answer comes. */
type Sent = {
  readonly outcome: Decision['outcome']
  readonly asked: readonly JoinRequest[]
}
type Results = {
  readonly results: readonly {
    readonly address: string
    readonly error: { readonly message: string } | null
  }[]
}
/** Sends a decision to `POST /joining/requests/decide`. */
export type DecideJoins = (decision: Decision) => Promise<Results>

const MAX_ANSWER_CHARACTERS = 1_000
/** The server decides about so many at a time. The others are shown when these are decided. */
const MAX_SHOWN = 50

/** A server whose accounts are kept elsewhere has no such queue. */
export const without = (error: { status?: number }): Joins => {
  if (error.status === 404) return { signup: 'approval', requests: [] }
  throw error
}

/** What becomes of those who wait where nobody has to ask any more. */
const MEANWHILE: Readonly<Record<Signup, string | undefined>> = {
  approval: undefined,
  open: t('Everybody may join now: those who wait can go on without a decision.'),
  invite: t(
    'People need an invite now, and nobody else can ask. Whom you let in can join for 14 days, as with an invite.',
  ),
  closed: t(
    'This server takes nobody now. Whom you let in can join when it takes people again, within 14 days.',
  ),
}

const idOf = ({ address, askedAt }: Pick<JoinRequest, 'address' | 'askedAt'>) =>
  `${address} ${askedAt}`
const ALL = 'all'

export function JoinQueue({
  joins: { signup, requests },
  decide,
}: {
  joins: Joins
  decide: DecideJoins
}) {
  const queries = useQueryClient()
  const shown = requests.slice(0, MAX_SHOWN)
  // Who waits alone is chosen already. Who is left later is not: an answer was written for others.
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(shown.length === 1 ? shown.map(idOf) : []),
  )
  /** Where the decision is: below what was picked last. */
  const [place, setPlace] = useState(shown.length === 1 ? idOf(shown[0]!) : '')
  /** Here: the form goes where something is picked. */
  const [answer, setAnswer] = useState('')
  const [failures, setFailures] = useState<readonly string[]>([])
  const chosen = shown.filter((one) => picked.has(idOf(one)))
  const pick = (ids: readonly string[], isPicked: boolean, at: string) => {
    const next = new Set(picked)
    for (const id of ids) isPicked ? next.add(id) : next.delete(id)
    setPicked(next)
    setPlace(at)
  }
  const send = useMutation({
    mutationFn: ({ outcome, asked }: Sent) => {
      const text = answer.trim()
      const ids = asked.map(({ address, askedAt }) => ({ address, askedAt }))
      return decide({ outcome, ...(text && { answer: text }), requests: ids })
    },
    onMutate: () => setFailures([]),
    onSuccess: ({ results }, { asked }) => {
      const called = new Map(asked.map((one) => [one.address.toLowerCase(), one.called]))
      const failed = results.flatMap(({ address, error }) =>
        error
          ? [`${cleanText(called.get(address.toLowerCase()) ?? address)}: ${error.message}`]
          : [],
      )
      setFailures(failed)
      setPicked(new Set())
      if (failed.length === 0) setAnswer('')
    },
    onSettled: () => queries.invalidateQueries(),
  })
  const form = chosen.length > 0 && (
    <DecideForm
      count={chosen.length}
      answer={answer}
      write={setAnswer}
      isBusy={send.isPending}
      error={send.error}
      decide={(outcome) => send.mutate({ outcome, asked: chosen })}
    />
  )
  const isThere = chosen.some((one) => idOf(one) === place)
  return (
    <div className="join-queue">
      {MEANWHILE[signup] && <p className="muted">{MEANWHILE[signup]}</p>}
      {failures.length > 0 && (
        <div className="fault" role="alert">
          <p>{t('Not decided:')}</p>
          <ul>
            {failures.map((one) => (
              <li key={one}>
                <bdi>{one}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {shown.length > 1 && (
        <label className="join-pick">
          <input
            type="checkbox"
            checked={chosen.length === shown.length}
            disabled={send.isPending}
            onChange={({ target }) => pick(shown.map(idOf), target.checked, ALL)}
          />
          <span>
            {requests.length > shown.length
              ? t(
                  '{count2, plural, one {All {count} that are shown; # more waits behind them} other {All {count} that are shown; # more wait behind them}}',
                  {
                    count: shown.length,
                    count2: requests.length - shown.length,
                  },
                )
              : t('All {count}', { count: shown.length })}
          </span>
        </label>
      )}
      {!isThere && form}
      <ul className="cards">
        {shown.map((one) => {
          const id = idOf(one)
          return (
            <li key={id} className="card">
              <JoinCard
                request={one}
                isPicked={picked.has(id)}
                isBusy={send.isPending}
                onPick={(isPicked) => pick([id], isPicked, id)}
              />
              {id === place && isThere && form}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function JoinCard({
  request: { called, reason, askedAt },
  isPicked,
  isBusy,
  onPick,
}: {
  request: JoinRequest
  isPicked: boolean
  isBusy: boolean
  onPick: (isPicked: boolean) => void
}) {
  return (
    <>
      <div className="join-who">
        <label className="join-pick">
          <input
            type="checkbox"
            checked={isPicked}
            disabled={isBusy}
            onChange={({ target }) => onPick(target.checked)}
          />
          <strong dir="auto">{cleanText(called)}</strong>
        </label>
        <span className="muted">
          {rich('asked {time}', { time: <Ago at={isoTime(askedAt)} /> })}
        </span>
      </div>
      <p dir="auto" className="cast-text">
        {cleanText(reason)}
      </p>
    </>
  )
}

type FormProps = {
  readonly count: number
  readonly answer: string
  readonly write: (answer: string) => void
  readonly isBusy: boolean
  readonly error: Error | null
  readonly decide: (outcome: Decision['outcome']) => void
}

function DecideForm({ count, answer, write, isBusy, error, decide }: FormProps) {
  const isMany = count > 1
  return (
    <div className="join-decide">
      <Field
        label={t('Answer')}
        help={
          isMany
            ? t(
                '{count, plural, one {All # read it. To decline, say why.} other {All # read it. To decline, say why.}}',
                { count },
              )
            : t('The person reads it. To decline, say why.')
        }
      >
        {(id, help) => (
          <textarea
            id={id}
            rows={2}
            maxLength={MAX_ANSWER_CHARACTERS}
            value={answer}
            aria-describedby={help}
            disabled={isBusy}
            onChange={({ target }) => write(target.value)}
          />
        )}
      </Field>
      {error && <Failed error={error} />}
      <div className="buttons">
        <button
          type="button"
          className="primary"
          disabled={isBusy}
          onClick={() => decide('approved')}
        >
          {isMany
            ? t('{count, plural, one {Let in # person} other {Let in # people}}', { count })
            : t('Let in')}
        </button>
        <button
          type="button"
          className="secondary"
          disabled={isBusy || !answer.trim()}
          onClick={() => decide('declined')}
        >
          {isMany
            ? t('{count, plural, one {Decline # person} other {Decline # people}}', { count })
            : t('Decline')}
        </button>
      </div>
    </div>
  )
}
