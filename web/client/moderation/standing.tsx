import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { reasonText } from '../../shared/reasons.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Field } from '../act/field.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { type Appeal, callPlatform, keyOf, type OwnModeration } from './calls.ts'
import { useOwnModeration } from './own.ts'
import { isTakenBack } from './undo.ts'
import { answerText, decisionText, isoTime, suspendedText, TAKEN_BACK } from './words.ts'

const MAX_APPEAL_CHARACTERS = 1_000
type Decision = OwnModeration['decisions'][number]
type Report = OwnModeration['reports'][number]

/** What moderators decided about one's own content, one's appeals, and what came of one's reports. */
export function Component() {
  const { fid } = useSession()
  return (
    <>
      <Title>{t('Reports and decisions')}</Title>
      {fid === undefined ? (
        <Shown isScreen icon="person" heading={t('Sign in to see your reports')}>
          <p>
            <Link to="/join">{t('Join or sign in')}</Link>
          </p>
        </Shown>
      ) : (
        <Standing />
      )}
    </>
  )
}

function Standing() {
  const { data, error, refetch } = useOwnModeration()
  if (error) return <Failed isScreen error={error} retry={refetch} />
  if (!data) return <Loading what={t('Loading your reports')} />
  /** Whether the newest such decision has no appeal yet. */
  const canAppeal = (action: string): boolean => {
    const newest = data.decisions.find((one) => one.action === action)
    return newest !== undefined && data.appeals.every(({ decision }) => decision !== newest.id)
  }
  return (
    <div className="form-screen">
      <h1>{t('Reports and decisions')}</h1>
      {data.role && (
        <p>
          {rich('You are {role} of this server. <link>Open the queue</link>', {
            role: data.role,
            link: (inner) => <Link to="/moderate">{inner}</Link>,
          })}
        </p>
      )}
      {data.suspended && (
        <Notice tone="bad">
          <p>
            {suspendedText(data.suspendedUntil)}{' '}
            {canAppeal('suspend') && <span>{t('You can appeal below.')} </span>}
            <span>
              {rich('You can <link>download everything of you</link>.', {
                link: (inner) => <Link to="/account#data">{inner}</Link>,
              })}
            </span>
          </p>
        </Notice>
      )}
      {data.limited && (
        <Notice tone="warn">
          <p>
            {t(
              'Your account is limited: only your followers are shown it in trends, recommendations, searches and notifications.',
            )}{' '}
            {canAppeal('limit') && t('You can appeal below.')}
          </p>
        </Notice>
      )}
      <h2>{t('About your content')}</h2>
      {data.decisions.length === 0 && (
        <p className="muted">{t('Moderators have decided nothing about you.')}</p>
      )}
      <ul className="cards">
        {data.decisions.map((one, i) => (
          <DecisionCard
            key={one.id}
            decision={one}
            isOver={isOver(one, data.decisions.slice(0, i))}
            isUndone={isTakenBack(one, data.decisions.slice(0, i))}
            appeal={data.appeals.find(({ decision }) => decision === one.id)}
          />
        ))}
      </ul>
      <h2>{t('Your reports')}</h2>
      {data.reports.length === 0 && <p className="muted">{t('You have reported nothing.')}</p>}
      <ul className="cards">
        {data.reports.map((one) => (
          <ReportCard key={one.id} report={one} />
        ))}
      </ul>
    </div>
  )
}

/** Whether a moderator has decided about what waited, newer ones being given. */
const isOver = ({ action, castHash }: Decision, newer: readonly Decision[]): boolean =>
  action === 'hold' && newer.some((one) => one.castHash === castHash)

type DecisionProps = {
  decision: Decision
  isOver: boolean
  /** Whether it is in force no more: there is nothing to appeal. */
  isUndone: boolean
  appeal: Appeal | undefined
}

function DecisionCard({ decision, isOver, isUndone, appeal }: DecisionProps) {
  const { action, castText, reason, at } = decision
  const mayAppeal =
    !isOver && !isUndone && ['warn', 'hide', 'hold', 'limit', 'suspend'].includes(action)
  return (
    <li className="card">
      <p>
        <strong>
          {isOver ? t('Your {post} waited for a moderator.') : decisionText(decision)}
        </strong>{' '}
        <span className="muted">
          <Time at={isoTime(at)} />
        </span>
      </p>
      {castText && (
        <blockquote className="quoted" dir="auto">
          {cleanText(castText)}
        </blockquote>
      )}
      {!isOver && <p>{rich('Reason: {reason}', { reason: <bdi>{reasonText(reason)}</bdi> })}</p>}
      {appeal ? <AppealState appeal={appeal} /> : mayAppeal && <AppealForm id={decision.id} />}
    </li>
  )
}

const AppealState = ({ appeal: { text, state, outcome, answer } }: { appeal: Appeal }) => (
  <>
    <p className="muted">{rich('Your appeal: {text}', { text: <bdi>{cleanText(text)}</bdi> })}</p>
    {state === 'open' ? (
      <p className="muted">{t('The moderators have not answered yet.')}</p>
    ) : (
      <p>
        <strong>{outcome === 'reversed' ? TAKEN_BACK : t('The decision stays.')}</strong>{' '}
        <bdi>{reasonText(answer ?? '')}</bdi>
      </p>
    )}
  </>
)

function AppealForm({ id }: { id: number }) {
  const { fid } = useSession()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const appeal = useMutation({
    mutationFn: async () => {
      await callPlatform(await keyOf(fid), '/appeals', { decision: id, text: text.trim() })
    },
    // It may have been taken back meanwhile.
    onSettled: () => queries.invalidateQueries({ queryKey: ['own', 'moderation'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    appeal.mutate()
  }
  if (!isOpen) {
    return (
      <button type="button" className="secondary" onClick={() => setOpen(true)}>
        {t('Appeal')}
      </button>
    )
  }
  return (
    <form onSubmit={submit} className="fields">
      <Field label={t('Why the decision is wrong')} help={t('A decision can be appealed once.')}>
        {(field, help) => (
          <textarea
            id={field}
            rows={4}
            required
            maxLength={MAX_APPEAL_CHARACTERS}
            aria-describedby={help}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {appeal.error && <Failed error={appeal.error} />}
      <button type="submit" className="primary" disabled={appeal.isPending || !text.trim()}>
        {appeal.isPending ? t('Sending …') : t('Send the appeal')}
      </button>
    </form>
  )
}

const ReportCard = ({ report }: { report: Report }) => (
  <li className="card">
    <p>
      <bdi>{cleanText(report.reason) || t('The reported content was erased.')}</bdi>{' '}
      <span className="muted">
        <Time at={isoTime(report.createdAt)} />
      </span>
    </p>
    <p className="muted">
      {report.castHash ? (
        <Link to={`/cast/${report.castHash}`}>{t('The {post}')}</Link>
      ) : (
        <Link to={`/@!${report.fid}`}>{t('The account')}</Link>
      )}
    </p>
    {report.state === 'open' ? (
      <p className="muted">{t('The moderators have not answered yet.')}</p>
    ) : (
      <p>
        <strong>{t('Answered:')}</strong> <bdi>{answerText(report)}</bdi>
        {report.reversedAt !== null && ` ${TAKEN_BACK}`}
      </p>
    )}
  </li>
)
