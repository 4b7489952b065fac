import { cleanText } from '../../shared/text.ts'
import type { Report } from '../api.ts'
import { accountDecision, castDecision, miniAppDecision } from '../decisions.ts'
import { timeText } from '../text.ts'
import type { Decision } from './decide.tsx'

type Props = { readonly report: Report; readonly onDecide: (one: Decision) => void }

/** It holds casts for review. */
const SERVER_FID = 0

/** An open report with what may be done about it. */
export function ReportCard({ report, onDecide }: Props) {
  const { id, fid, castHash, miniAppDomain, reason, reporterFid, createdAt } = report
  const choices = [
    ...(miniAppDomain ? [miniAppDecision(miniAppDomain, 'remove')] : []),
    ...(castHash ? [castDecision(castHash, 'hide')] : []),
    // Nobody has signed the domain of some apps.
    ...(fid > 0 ? [accountDecision(fid, 'limit'), accountDecision(fid, 'suspend')] : []),
    {
      title: `Resolve report ${id}`,
      consequence:
        reporterFid === SERVER_FID
          ? 'The report leaves this list, and what it is about is shown, unless it was hidden by somebody.'
          : 'The report leaves this list. Nothing else changes.',
      path: `/moderation/reports/${id}/resolve`,
    },
  ]
  return (
    <li className="card">
      <p>
        <bdi>{cleanText(reason)}</bdi>
      </p>
      <p className="muted">
        {miniAppDomain && (
          <>
            Mini app <bdi>{cleanText(miniAppDomain)}</bdi>,{' '}
          </>
        )}
        {fid > 0 ? `account ${fid}` : 'author not verified'}
        {castHash && (
          <>
            , cast <code>{castHash}</code>
          </>
        )}
        . Reported by {reporterFid}, {timeText(createdAt)}.
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
