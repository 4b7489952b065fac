import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import { reasonText } from '../../shared/reasons.ts'
import { Time } from '../parts/time.tsx'
import { accountKey } from '../session/account-storage.ts'
import { useSession } from '../session/session.tsx'
import type { OwnModeration } from './calls.ts'
import { useOwnModeration } from './own.ts'
import { answerText, decisionText, doneText, isoTime, TAKEN_BACK } from './words.ts'

const MAX_SHOWN = 3
/** Older ones are found under “Reports and decisions”. */
const MAX_AGE_SECONDS = 30 * 24 * 3_600
const MS_PER_SECOND = 1_000

type Notice = {
  readonly key: string
  readonly at: number
  readonly what: string
  readonly why: string
}

/** What moderators told the member lately, above other notifications. */
export function FromModerators() {
  const { fid } = useSession()
  const { data } = useOwnModeration()
  const since = Date.now() / MS_PER_SECOND - MAX_AGE_SECONDS
  const told = data ? noticesOf(data).filter(({ at }) => at >= since) : []
  const newest = told[0]?.at
  // Those that were new stay marked as such while the screen is open.
  const [seenTo] = useState(() => seen(fid))
  useEffect(() => {
    if (newest !== undefined) see(fid, newest)
  }, [fid, newest])
  return (
    <>
      {told.slice(0, MAX_SHOWN).map(({ key, at, what, why }) => (
        <article key={key} className={at > seenTo ? 'row unread' : 'row'}>
          <span className="notice-icon">
            <Icon name="warning" />
          </span>
          <div className="row-text">
            <p>
              <Link to="/moderation">{what}</Link> <bdi>{why}</bdi>{' '}
              <span className="muted">
                <Time at={isoTime(at)} />
              </span>
            </p>
          </div>
        </article>
      ))}
      {told.length > MAX_SHOWN && (
        <p className="row">
          <Link to="/moderation">{t('Reports and decisions')}</Link>
        </p>
      )}
    </>
  )
}

// Up to when an account has seen them, in this browser; Unix seconds.

const keyOf = (fid: number | undefined) => accountKey('decisions', fid ?? 0)

function seen(fid: number | undefined): number {
  try {
    return Number(localStorage.getItem(keyOf(fid)))
  } catch {
    return 0
  }
}

function see(fid: number | undefined, at: number): void {
  try {
    localStorage.setItem(keyOf(fid), String(at))
  } catch {}
}

function noticesOf({ decisions, appeals, reports }: OwnModeration): Notice[] {
  const notices = [
    ...decisions.map((one) => ({
      key: `decision ${one.id}`,
      at: one.at,
      what: decisionText(one),
      why: reasonText(one.reason),
    })),
    ...appeals.map(({ id, answeredAt, outcome, answer }) => ({
      key: `appeal ${id}`,
      at: answeredAt ?? 0,
      what:
        outcome === 'reversed' ? t('Your appeal was right.') : t('Your appeal was not followed.'),
      why: reasonText(answer ?? ''),
    })),
    ...reports.map((one) => ({
      key: `report ${one.id}`,
      at: one.resolvedAt ?? 0,
      what: t('Your report was answered.'),
      why: answerText(one),
    })),
    ...reports.map(({ id, reversedAt, act }) => ({
      key: `reversed ${id}`,
      at: reversedAt ?? 0,
      what: t('What came of your report was taken back.'),
      why: `${doneText(act ?? '') ?? ''} ${TAKEN_BACK}`,
    })),
  ]
  return notices.sort((a, b) => b.at - a.at)
}
