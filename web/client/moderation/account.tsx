import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { whyText } from '../../shared/log-words.ts'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { Title } from '../parts/title.tsx'
import type { Act } from './act.ts'
import { callPlatform, type Entry, useOwnRole } from './calls.ts'
import { Decide } from './decide.tsx'
import { useOwn } from './own.ts'
import { fidsIn, named, type People, usePeople, whoIs } from './people.ts'
import { breachesAmong, isTakenBack, undoOf } from './undo.ts'
import { actionText, isoTime } from './words.ts'

// One account as who moderates sees it, without a report: what holds of it, what can be decided, and what was.

const SHOWN_ENTRIES = 50
/** Decisions after which another one is not the first. */
const AGAINST = ['warn', 'hide', 'remove-poll', 'remove-file', 'limit', 'suspend']

type LogEntry = Entry & { readonly castText: string | null }
type State = {
  readonly suspended: boolean
  readonly suspendedUntil: number | null
  readonly limited: boolean
}

/** `/moderate/7` */
export function Component() {
  const role = useOwnRole()
  const fid = Number(useParams().fid)
  const isFid = Number.isSafeInteger(fid) && fid > 0
  return (
    <>
      <Title>{t('Moderate an account')}</Title>
      {role && isFid ? (
        <Account key={fid} fid={fid} />
      ) : (
        <Shown isScreen icon="person" heading={t('This page is for moderators of this server')} />
      )}
    </>
  )
}

function Account({ fid }: { fid: number }) {
  const [act, setAct] = useState<Act>()
  const found = useOwn(
    'moderated account',
    async (key) => {
      const [state, log] = await Promise.all([
        callPlatform<State>(key, `/moderation/accounts/${fid}`),
        callPlatform<{ result: { entries: LogEntry[] } }>(
          key,
          `/moderation/log?fid=${fid}&limit=${SHOWN_ENTRIES}`,
        ),
      ])
      return { state, ...log.result }
    },
    { which: String(fid) },
  )
  const people = usePeople([
    fid,
    ...(found.data?.entries.flatMap(({ actor }) => fidsIn(actor)) ?? []),
  ])
  if (found.error) return <Failed isScreen error={found.error} retry={found.refetch} />
  if (!found.data) return <Loading what={t('Loading what is known of the account')} />
  const { state, entries } = found.data
  const earlier = breachesAmong(entries).filter(({ action }) => AGAINST.includes(action))
  const subject = { fid, castHash: null, castText: null, earlier }
  const acts = actsOn(fid, state)
  /** What takes an entry back for which there is no button above. */
  const undoing = (one: LogEntry, at: number): Act | undefined => {
    if (isTakenBack(one, entries.slice(0, at))) return undefined
    const undo = undoOf({ ...one, entry: one.id }, people)
    return acts.some(({ path }) => path === undo?.path) ? undefined : undo
  }
  return (
    <div className="form-screen">
      <h1>{rich('Moderate {whoIs}', { whoIs: <bdi>{whoIs(fid, people)}</bdi> })}</h1>
      <p>
        {textOf(state)} <Link to={`/@!${fid}`}>{t('Its profile')}</Link>
      </p>
      {act && <Decide key={act.path} act={act} undo={setAct} onClose={() => setAct(undefined)} />}
      <div className="buttons">
        {acts.map((one) => (
          <button
            key={one.path}
            type="button"
            className="secondary"
            onClick={() => setAct({ ...one, subject, people })}
          >
            {one.title}
          </button>
        ))}
      </div>
      <p className="muted">
        {rich('What is reported of it is in <link>the queue</link>.', {
          link: (inner) => <Link to="/moderate">{inner}</Link>,
        })}
      </p>
      <h2>{t('What was decided')}</h2>
      {entries.length === 0 && <p className="muted">{t('Nothing yet.')}</p>}
      <ul className="cards">
        {entries.map((one, at) => (
          <Decision
            key={one.id}
            entry={one}
            undo={undoing(one, at)}
            people={people}
            onAct={setAct}
          />
        ))}
      </ul>
    </div>
  )
}

type DecisionProps = {
  entry: Entry
  undo: Act | undefined
  people: People
  onAct: (act: Act) => void
}

function Decision({ entry, undo, people, onAct }: DecisionProps) {
  const why = whyText(entry)
  return (
    <li className="card">
      <p>
        <strong>{actionText(entry)}</strong>
        {why && (
          <>
            : <bdi>{why}</bdi>
          </>
        )}
      </p>
      <p className="muted">
        <bdi>{cleanText(named(entry.actor, people))}</bdi>, <Time at={isoTime(entry.at)} />
      </p>
      {undo && (
        <button type="button" className="secondary" onClick={() => onAct(undo)}>
          {undo.title}
        </button>
      )}
    </li>
  )
}

const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })

function textOf({ suspended, suspendedUntil, limited }: State): string {
  if (suspended) {
    return suspendedUntil === null
      ? t('It is suspended for good.')
      : t('It is suspended until {date}.', { date: DAY.format(suspendedUntil * 1_000) })
  }
  return limited ? t('It is limited.') : t('It is neither limited nor suspended.')
}

/** What may be decided about an account as it is. */
function actsOn(fid: number, { suspended, limited }: State): Act[] {
  const path = (verb: string) => `/moderation/accounts/${fid}/${verb}`
  const suspension: Act = suspended
    ? {
        title: t('End the suspension'),
        consequence: t('Everything of the account is shown as before.'),
        path: path('restore'),
      }
    : {
        kind: 'suspend',
        title: t('Suspend the account'),
        consequence: t(
          'Everything of the account is hidden at once, and its new messages are refused. It reads your words and may appeal.',
        ),
        path: path('suspend'),
      }
  const limit: Act = limited
    ? {
        title: t('End the limit'),
        consequence: t(
          'Trends, recommendations, searches and notifications show the account as before.',
        ),
        path: path('unlimit'),
      }
    : {
        kind: 'limit',
        title: t('Limit the account'),
        consequence: t(
          'Trends, recommendations, searches and notifications show the account only to those who follow it. It reads your words and may appeal.',
        ),
        path: path('limit'),
      }
  return suspended ? [suspension] : [limit, suspension]
}
