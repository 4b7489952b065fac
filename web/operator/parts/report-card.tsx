import { Fragment, type ReactNode } from 'react'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import type { Report } from '../api.ts'
import { accountDecision, castDecision, handleOf, miniAppDecision } from '../decisions.ts'
import type { Decision } from './decide.tsx'
import { Time } from './time.tsx'

type Props = {
  readonly report: Report
  readonly onDecide: (one: Decision) => void
  /** What the cast says. */
  readonly castText?: string | null
  /** What others have said of the same. */
  readonly others?: readonly Report[]
  /** Names of accounts by fid. */
  readonly names?: Readonly<Record<number, string>>
}

/** It holds casts for review. */
const SERVER_FID = 0

const byWhom = (fid: number, called: (fid: number) => string): ReactNode =>
  fid === SERVER_FID
    ? t('Held by the server')
    : rich('Reported by {called}', { called: <bdi>{called(fid)}</bdi> })

/** An open report with what may be done about it. */
export function ReportCard({ report, onDecide, castText, others = [], names = {} }: Props) {
  const called = (one: number) => handleOf({ fid: one, name: names[one] })
  const { id, fid, castHash, miniAppDomain, reason, reporterFid, createdAt } = report
  const person = { fid, name: names[fid] }
  const choices = [
    ...(miniAppDomain ? [miniAppDecision(miniAppDomain, 'remove')] : []),
    ...(castHash ? [castDecision(castHash, 'hide')] : []),
    // Nobody has signed the domain of some apps.
    ...(fid > 0 ? [accountDecision(person, 'limit'), accountDecision(person, 'suspend')] : []),
    {
      title: t('Resolve report {id}', { id }),
      consequence:
        reporterFid === SERVER_FID
          ? t(
              'The report leaves this list, and what it is about is shown, unless it was hidden by somebody.',
            )
          : t('The report leaves this list. Nothing else changes.'),
      path: `/moderation/reports/${id}/resolve`,
    },
  ]
  const facts = [
    miniAppDomain &&
      rich('Mini app {miniAppDomain}', { miniAppDomain: <bdi>{cleanText(miniAppDomain)}</bdi> }),
    fid > 0 ? <bdi key="who">{called(fid)}</bdi> : t('author not verified'),
    castHash && rich('{Post} {hash}', { hash: <code>{castHash}</code> }),
    byWhom(reporterFid, called),
    <Time key="time" at={createdAt} />,
  ]
  return (
    <li className="card">
      {castText != null && (
        <blockquote>
          <bdi>{cleanText(castText) || t('({aPost} without words)')}</bdi>
        </blockquote>
      )}
      <p>
        <bdi>{cleanText(reason)}</bdi>
      </p>
      {others.map((one) => (
        <p key={one.id}>
          <bdi>{cleanText(one.reason)}</bdi>{' '}
          <span className="muted">{byWhom(one.reporterFid, called)}</span>
        </p>
      ))}
      <p className="muted">
        {facts
          .filter((one) => one !== null)
          .map((one, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <Fragment key={at}>
              {at > 0 && ' · '}
              {one}
            </Fragment>
          ))}
      </p>
      <div className="buttons">
        {choices.map((decision) => (
          <button
            key={decision.path}
            type="button"
            className="secondary"
            onClick={() => onDecide(decision)}
          >
            {decision.title}
          </button>
        ))}
      </div>
    </li>
  )
}
