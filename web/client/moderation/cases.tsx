import { useState } from 'react'
import { Link } from 'react-router'
import { cleanText } from '../../shared/text.ts'
import { useApp } from '../api.ts'
import { CastText } from '../parts/cast-text.tsx'
import { Embeds } from '../parts/embeds.tsx'
import { Byline, handleOf, Portrait, personPath } from '../parts/person.tsx'
import { Time } from '../parts/time.tsx'
import type { Cast, User } from '../types.ts'
import type { Case } from './calls.ts'
import { CaseNotes } from './case-notes.tsx'
import type { Act } from './decide.tsx'
import { isoTime } from './words.ts'
import './cases.css'

// What is reported, as it stands, with the people and what was decided about them before.

type Props = { cases: readonly Case[]; onAct: (act: Act) => void }

/** The people and the casts of all cases are asked for together. */
export function Cases({ cases, onAct }: Props) {
  const hashes = cases.flatMap(({ castHash }) => castHash ?? [])
  const fids = new Set(
    cases.flatMap(({ fid, reports }) => [fid, ...reports.map(({ reporterFid }) => reporterFid)]),
  )
  fids.delete(0)
  const casts = useApp<{ result: { casts: Cast[] } }>(
    '/casts',
    { casts: hashes.join() },
    hashes.length > 0,
  ).data?.result.casts
  const users = useApp<{ users: User[] }>(
    '/user/bulk',
    { fids: [...fids].slice(0, MAX_PEOPLE).join() },
    fids.size > 0,
  ).data?.users
  const people = new Map(users?.map((user) => [user.fid, user]))
  return (
    <ul className="cards">
      {cases.map((one) => (
        <CaseCard
          key={one.id}
          found={one}
          cast={casts?.find(({ hash }) => hash === one.castHash)}
          people={people}
          onAct={onAct}
        />
      ))}
    </ul>
  )
}

/** Of one call of the app API. */
const MAX_PEOPLE = 100

type CardProps = {
  found: Case
  cast: Cast | undefined
  people: ReadonlyMap<number, User>
  onAct: (act: Act) => void
}

function CaseCard({ found, cast, people, onAct }: CardProps) {
  const { id, fid, castHash, miniAppDomain, reports, reportCount } = found
  const { hidden, limited, suspended } = found
  const author = people.get(fid)
  const who = author ? handleOf(author) : `account ${fid}`
  const path = `/moderation/cases/${id}/decide`
  const act = (name: Act['kind'], title: string, consequence: string) => () =>
    onAct({ kind: name, title, consequence, path, body: { act: name } })
  return (
    <li className="card">
      {fid !== 0 && <Who fid={fid} user={author} found={found} />}
      {miniAppDomain && (
        <p>
          Mini app{' '}
          <Link to={`/miniapps/${miniAppDomain}/about`}>
            <bdi>{miniAppDomain}</bdi>
          </Link>
        </p>
      )}
      {castHash && <Reported hash={castHash} text={found.castText} cast={cast} />}
      {hidden && <p className="muted">It is hidden already.</p>}
      <ul className="case-reports">
        {reports.map((report) => {
          const reporter = people.get(report.reporterFid)
          return (
            <li key={report.id}>
              <Link to={reporter ? personPath(reporter) : `/@!${report.reporterFid}`}>
                <bdi>{reporter ? handleOf(reporter) : `account ${report.reporterFid}`}</bdi>
              </Link>
              : <bdi>{cleanText(report.reason)}</bdi>{' '}
              <span className="muted">
                <Time at={isoTime(report.createdAt)} />
              </span>
            </li>
          )
        })}
      </ul>
      {reportCount > reports.length && (
        <p className="muted">{reportCount - reports.length} more reports of it are open.</p>
      )}
      {fid !== 0 && <CaseNotes found={found} />}
      <div className="buttons">
        <button
          type="button"
          className="secondary"
          onClick={act('leave', 'Leave it', 'Nothing changes. Who reported it reads your words.')}
        >
          Leave it
        </button>
        {castHash && !hidden && (
          <button
            type="button"
            className="secondary"
            onClick={act(
              'hide',
              'Hide the cast',
              'Nobody sees it any more. Reactions and replies to it stay. Its author and who reported it read your words.',
            )}
          >
            Hide the cast
          </button>
        )}
        {fid !== 0 && !limited && !suspended && (
          <button
            type="button"
            className="secondary"
            onClick={act(
              'limit',
              `Limit ${who}`,
              'Trends, recommendations, searches and notifications show the account only to those who follow it. It reads your words, and so does who reported it.',
            )}
          >
            Limit {who}
          </button>
        )}
        {fid !== 0 && !suspended && (
          <button
            type="button"
            className="secondary"
            onClick={act(
              'suspend',
              `Suspend ${who}`,
              'Everything of the account is hidden at once, and its new messages are refused. All reports about it are answered.',
            )}
          >
            Suspend {who}
          </button>
        )}
      </div>
    </li>
  )
}

const DECISIONS: Readonly<Record<string, string>> = {
  suspend: 'suspended',
  restore: 'restored',
  limit: 'limited',
  unlimit: 'limit ended',
  hide: 'a cast hidden',
  unhide: 'a cast shown again',
  'remove-file': 'a file removed',
  'remove-poll': 'a poll removed',
}

function Who({ fid, user, found }: { fid: number; user: User | undefined; found: Case }) {
  const { earlier, limited, suspended } = found
  return (
    <div className="case-who">
      <p className="who-acts">
        {user ? (
          <>
            <Portrait user={user} size="s" />
            <Byline user={user} />
          </>
        ) : (
          <Link to={`/@!${fid}`}>Account {fid}</Link>
        )}
      </p>
      <p className="muted">
        {suspended && 'Suspended. '}
        {limited && 'Limited. '}
        {user && (
          <>
            Joined <Time at={user.registered_at} />.{' '}
          </>
        )}
        {earlier.length === 0 && 'No earlier decisions.'}
      </p>
      {earlier.length > 0 && (
        <details>
          <summary>
            Earlier: {earlier.length === 1 ? 'one decision' : `${earlier.length} decisions`}
          </summary>
          <ul>
            {earlier.map(({ id, at, action, name, reason }) => (
              <li key={id}>
                {DECISIONS[action] ?? action} {action === 'suspend' && name}{' '}
                <Time at={isoTime(at)} />: <bdi>{cleanText(reason)}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

type ReportedProps = { hash: string; text: string | null; cast: Cast | undefined }

/** The reported cast. What it carries is shown when it is asked for. */
function Reported({ hash, text, cast }: ReportedProps) {
  const [isShown, setShown] = useState(false)
  return (
    <blockquote className="quoted">
      {cast ? (
        <CastText cast={cast} />
      ) : (
        <p dir="auto">{text === null ? 'Its author has deleted it.' : cleanText(text)}</p>
      )}
      {cast && cast.embeds.length > 0 && (
        <>
          <div className={isShown ? undefined : 'blurred'} inert={!isShown}>
            <Embeds cast={cast} />
          </div>
          <button type="button" className="secondary" onClick={() => setShown(!isShown)}>
            {isShown ? 'Blur what it carries' : 'Show what it carries'}
          </button>
        </>
      )}
      {cast && (
        <p className="muted">
          <Link to={`/cast/${hash}`}>
            {cast.parent_hash === null ? 'Open it' : 'Open it in its thread'}
          </Link>
          , written <Time at={cast.timestamp} />
        </p>
      )}
    </blockquote>
  )
}
