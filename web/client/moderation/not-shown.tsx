import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { reasonText } from '../../shared/reasons.ts'
import { cleanText } from '../../shared/text.ts'
import { FailedScreen } from '../parts/not-mirrored.tsx'
import { Shown } from '../parts/states.tsx'
import { useOwnModeration } from './own.ts'
import { decisionText } from './words.ts'

/** The server tells the author of a held cast within a second or two. */
const ASK_AGAIN_MS = 1_000
const MAX_ASKS = 5

type Props = { hash: string; error: Error; retry: () => void }

/** In place of a cast that the server does not show: its author reads that it waits, or that it was hidden. */
export default function NotShown({ hash, error, retry }: Props) {
  const { data, refetch } = useOwnModeration()
  const [asks, setAsks] = useState(1)
  const newest = data?.decisions.find(({ castHash }) => castHash === hash)
  const decision = newest && ['hold', 'hide'].includes(newest.action) ? newest : undefined
  useEffect(() => {
    if (decision || asks === MAX_ASKS) return
    const timer = setTimeout(() => {
      setAsks(asks + 1)
      void refetch()
    }, ASK_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [decision, asks, refetch])
  if (!decision) return <FailedScreen error={error} retry={retry} />
  return (
    <Shown isScreen icon="question" heading={decisionText(decision)}>
      {decision.castText && (
        <blockquote className="quoted" dir="auto">
          {cleanText(decision.castText)}
        </blockquote>
      )}
      <p>
        <bdi>{reasonText(decision.reason)}</bdi>
      </p>
      <p>
        <Link to="/moderation">{t('Reports and decisions')}</Link>
      </p>
    </Shown>
  )
}
