import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { kindName } from '../../shared/complaints.ts'
import { webUrl } from '../../shared/links.ts'
import { t } from '../../shared/messages.ts'
import { locale } from '../../shared/meta.ts'
import { BY_OPERATOR, BY_SERVER } from '../../shared/moderation-statistics.tsx'
import { reasonText } from '../../shared/reasons.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { useApp } from '../api.ts'
import { CastText } from '../parts/cast-text.tsx'
import { Embeds } from '../parts/embeds.tsx'
import { Byline, handleOf, Portrait, personPath } from '../parts/person.tsx'
import { Ago, Time } from '../parts/time.tsx'
import type { Cast } from '../types.ts'
import type { Act } from './act.ts'
import type { Case, Entry, Subject } from './calls.ts'
import { CaseNotes, NoteForm } from './case-notes.tsx'
import { ClaimLine } from './claim.tsx'
import { named, type People, whoIs } from './people.ts'
import { breachesAmong, isTakenBack, undoOf } from './undo.ts'
import { actionText, endOf, isoTime } from './words.ts'

// The case that is open: what is reported as it stands, the people, and what can be decided.

/** What can be decided about a case, with the key that does it. */
export type Choice = { readonly key: string; readonly text: string; readonly run: () => void }

/** It holds casts for review. */
const SERVER_FID = 0
/** As the log names it. */
const SERVER = 'server'

type CardProps = {
  /** By which it is chosen, while several are. */
  box: ReactNode
  found: Case
  cast: Cast | undefined
  people: People
  /** How many other cases about the account are in the list. */
  others: number
  /** Chooses all about the account; undefined where the moderator may not decide. */
  chooseAll: (() => void) | undefined
  choices: readonly Choice[]
  /** Opens the dialog in which a warning from before is taken back. */
  onAct: (act: Act) => void
  /** Whether what the cast carries is shown and not blurred. */
  isShown: boolean
  show: (isShown: boolean) => void
  /** Whether it was opened by a key or by the decision about the one before. */
  takesFocus: boolean
}

export function CaseCard({
  box,
  found,
  cast,
  people,
  others,
  chooseAll,
  choices,
  onAct,
  isShown,
  show,
  takesFocus,
}: CardProps) {
  const card = useRef<HTMLLIElement>(null)
  const { fid, castHash, miniAppDomain, reports, reportCount, held, moreHeld, hidden, mayDecide } =
    found
  const kinds = kindsOf(found)
  useEffect(() => {
    if (!takesFocus) return
    card.current?.focus({ preventScroll: true })
    card.current?.scrollIntoView({ block: 'start' })
  }, [takesFocus])
  return (
    <li ref={card} className="card case-open" tabIndex={-1} aria-current="true">
      {box && <p>{box}</p>}
      {mayDecide && <ClaimLine found={found} people={people} />}
      {fid !== 0 && <Who found={found} people={people} {...(mayDecide && { onAct })} />}
      {others > 0 && (
        <p className="muted">
          {t(
            '{others, plural, one {# more about this account.} other {# more about this account.}}',
            { others },
          )}{' '}
          {chooseAll && (
            <button type="button" className="link" onClick={chooseAll}>
              {t('Choose all of this account')}
            </button>
          )}
        </p>
      )}
      {miniAppDomain && (
        <p>
          {rich('Mini app {link}', {
            link: (
              <Link to={`/miniapps/${miniAppDomain}/about`}>
                <bdi>{miniAppDomain}</bdi>
              </Link>
            ),
          })}
        </p>
      )}
      {castHash && <Reported found={found} cast={cast} isShown={isShown} show={show} />}
      {held ? (
        <p className="muted">
          {t('It waits for review: nobody sees it. Hide it to keep it so.')}
          {moreHeld > 0 &&
            ` ${t('{moreHeld} more of the account come when those in the list are decided.', { moreHeld })}`}
        </p>
      ) : (
        hidden && <p className="muted">{t('It is hidden already.')}</p>
      )}
      {kinds.length > 0 && (
        <p>
          <strong>{kinds.join(' · ')}</strong>
        </p>
      )}
      <ul className="case-reports">
        {reports.map((report) => {
          const reporter = people.get(report.reporterFid)
          return (
            <li key={report.id}>
              {report.reporterFid === SERVER_FID ? (
                t('The server')
              ) : (
                <Link to={reporter ? personPath(reporter) : `/@!${report.reporterFid}`}>
                  <bdi>{whoIs(report.reporterFid, people)}</bdi>
                </Link>
              )}
              : <bdi>{cleanText(report.reason)}</bdi>{' '}
              <span className="muted">
                <Time at={isoTime(report.createdAt)} />
              </span>
            </li>
          )
        })}
      </ul>
      {reportCount > reports.length && (
        <p className="muted">
          {t(
            '{reportCount, plural, one {# more report of it is open.} other {# more reports of it are open.}}',
            {
              reportCount: reportCount - reports.length,
            },
          )}
        </p>
      )}
      {fid !== 0 && mayDecide && <CaseNotes found={found} people={people} />}
      {!mayDecide && (
        <p>
          <strong>
            {t('{role}: the operator decides about it.', { role: roleText(people.get(fid)?.role) })}
          </strong>
        </p>
      )}
      <div className="buttons case-acts">
        {choices.map(({ key, text, run }) => (
          <button
            key={key}
            type="button"
            className="secondary"
            aria-keyshortcuts={key}
            onClick={run}
          >
            {text}{' '}
            <span className="key" aria-hidden="true">
              {key}
            </span>
          </button>
        ))}
      </div>
      {fid !== 0 && mayDecide && <NoteForm fid={fid} />}
    </li>
  )
}

const COUNT = new Intl.NumberFormat(locale)

/** The kinds of its reports, each with its count if there are several reports. */
export const kindsOf = ({ kinds, reportCount }: Case): string[] =>
  kinds.map(({ kind, count }) =>
    reportCount > 1 ? `${kindName(kind)} × ${COUNT.format(count)}` : kindName(kind),
  )

/** Why one may not decide. */
const roleText = (role: string | null | undefined): string =>
  role === 'operator' ? t('This is an operator') : t('This is a moderator')

type WhoProps = {
  found: Subject
  people: People
  /** Where warnings can be taken back: not beside an appeal, which is answered. */
  onAct?: (act: Act) => void
}

/** The account that it is about, and what was decided about it before. */
export function Who({ found, people, onAct }: WhoProps) {
  const { fid, earlier, limited, suspended, castHash } = found
  const user = people.get(fid)
  const count = breachesAmong(earlier).length
  return (
    <div className="case-who">
      <p className="who-acts">
        {user ? (
          <>
            <Portrait user={user} size="s" />
            <Byline user={user} />
          </>
        ) : (
          <Link to={`/@!${fid}`}>{t('Account {fid}', { fid: String(fid) })}</Link>
        )}
      </p>
      {user && castHash === null && user.bio && (
        <p className="clamp" dir="auto">
          {cleanText(user.bio)}
        </p>
      )}
      <p className="muted">
        {suspended && `${t('Suspended.')} `}
        {limited && `${t('Limited.')} `}
        {user && (
          <>
            {rich('Joined {time}. {count}.', {
              time: <Ago at={user.registered_at} />,
              count: countText(user.casts),
            })}{' '}
          </>
        )}
        {user && castHash === null && !suspended && (
          <>
            <Link to={personPath(user)}>{t('See what it wrote')}</Link>{' '}
          </>
        )}
        {earlier.length === 0 && t('No earlier decisions.')}
      </p>
      {earlier.length > 0 && (
        <details>
          <summary>
            {count === 0
              ? t('What was decided')
              : t('{count, plural, one {Earlier: one decision} other {Earlier: # decisions}}', {
                  count,
                })}
          </summary>
          <ul>
            {earlier.map((one, at) => {
              const undo =
                one.action === 'warn' && !isTakenBack(one, earlier.slice(0, at))
                  ? undoOf({ ...one, entry: one.id, castText: null }, people)
                  : undefined
              return (
                <li key={one.id}>
                  <Decided entry={one} people={people} />{' '}
                  {undo && onAct && (
                    <button type="button" className="link" onClick={() => onAct(undo)}>
                      {undo.title}
                    </button>
                  )}
                </li>
              )
            })}
          </ul>
        </details>
      )}
    </div>
  )
}

const countText = (count: number): string =>
  t('{count, plural, one {One {post}} other {# {posts}}}', { count })

/** A decision with its reason, and who made it. */
export function Decided({ entry, people }: { entry: Entry; people: People }) {
  const until = endOf(entry)
  const time = <Ago at={isoTime(entry.at)} />
  const actor = entry.actor === SERVER ? BY_SERVER : named(entry.actor, people, BY_OPERATOR)
  const who = <bdi>{cleanText(actor)}</bdi>
  const reason = <bdi>{reasonText(entry.reason)}</bdi>
  return until
    ? rich('Suspended until {until}, {time} by {named}: {reason}', {
        until,
        time,
        named: who,
        reason,
      })
    : rich('{action} {time} by {named}: {reason}', {
        action: actionText(entry),
        time,
        named: who,
        reason,
      })
}

type ReportedProps = {
  found: Subject
  cast: Cast | undefined
  isShown: boolean
  show: (isShown: boolean) => void
}

/** The reported cast. What it carries is shown when it is asked for. */
export function Reported({ found, cast, isShown, show }: ReportedProps) {
  const { castText: text, castParent } = found
  const channel = cast?.channel
  const pictures = picturesIn(found)
  return (
    <blockquote className="quoted">
      {castParent && <Above key={castParent.hash} hash={castParent.hash} />}
      {cast ? (
        <CastText cast={cast} />
      ) : (
        <p dir="auto">{text === null ? t('Its author has deleted it.') : cleanText(text)}</p>
      )}
      {cast && cast.embeds.length > 0 && (
        <Blurred isShown={isShown} show={show}>
          <Embeds cast={cast} />
        </Blurred>
      )}
      {!cast && pictures.length > 0 && (
        <Blurred isShown={isShown} show={show}>
          <div className="embeds case-pictures">
            {pictures.map((url) => (
              <img key={url} src={url} alt={t('What the author added')} />
            ))}
          </div>
        </Blurred>
      )}
      {!cast && <Carried found={found} />}
      {cast && (
        <p className="muted">
          {channel && (
            <span>
              {rich('In {link}.', {
                link: (
                  <Link to={`/channel/${channel.id}`}>
                    <bdi>/{channel.id}</bdi>
                  </Link>
                ),
              })}{' '}
            </span>
          )}
          {cast.parent_hash === null
            ? rich('<link>Open it</link>, written {time}', {
                link: (inner) => <Link to={`/cast/${cast.hash}`}>{inner}</Link>,
                time: <Ago at={cast.timestamp} />,
              })
            : rich('<link>Open it in its thread</link>, written {time}', {
                link: (inner) => <Link to={`/cast/${cast.hash}`}>{inner}</Link>,
                time: <Ago at={cast.timestamp} />,
              })}
        </p>
      )}
    </blockquote>
  )
}

type BlurredProps = {
  isShown: boolean
  show: (isShown: boolean) => void
  children: ReactNode
}

const Blurred = ({ isShown, show, children }: BlurredProps) => (
  <>
    <div className={isShown ? undefined : 'blurred'} inert={!isShown}>
      {children}
    </div>
    <button type="button" className="secondary" onClick={() => show(!isShown)}>
      {isShown ? t('Blur what it carries') : t('Show what it carries')}
    </button>
  </>
)

const PICTURE = /^\/media\/[^?#]+\.(?:avif|gif|jpe?g|png|webp)$/

/** Pictures of this server that a cast carries: nothing of other servers is fetched before it is asked for. */
export const picturesIn = ({ castUrls }: Pick<Subject, 'castUrls'>): string[] => [
  ...new Set(
    castUrls.filter((url) => {
      const parsed = URL.parse(url)
      return parsed?.origin === location.origin && PICTURE.test(parsed.pathname)
    }),
  ),
]

/** Casts above it, each asked for when the one below is there and more is wanted. */
function Above({ hash }: { hash: string }) {
  const [isFurther, setFurther] = useState(false)
  const { data, error } = useApp<{ cast: Cast }>('/cast', { identifier: hash, type: 'hash' })
  if (error) return <p className="muted">{t('What it answers is not shown any more.')}</p>
  if (!data) return <p className="muted">{t('Loading what it answers')}</p>
  const { author, text, parent_hash, embeds } = data.cast
  return (
    <div className="case-above">
      {parent_hash &&
        (isFurther ? (
          <Above hash={parent_hash} />
        ) : (
          <button type="button" className="secondary" onClick={() => setFurther(true)}>
            {t('Show further up')}
          </button>
        ))}
      <p className="muted">
        {embeds.length > 0
          ? rich('Answers {who}, with a picture or a link:', { who: <bdi>{handleOf(author)}</bdi> })
          : rich('Answers {who}:', { who: <bdi>{handleOf(author)}</bdi> })}
      </p>
      <p dir="auto">{cleanText(text) || t('{Post} without text')}</p>
    </div>
  )
}

/** What a cast carries that the app API does not show: as links, so that nothing is fetched before it is asked for. */
function Carried({ found: { castUrls, castQuotes } }: { found: Subject }) {
  if (castUrls.length + castQuotes.length === 0) return null
  // The same one may be there twice.
  const quotes = new Map(castQuotes.map((one) => [one.hash, one])).values().toArray()
  return (
    <ul className="case-reports">
      {[...new Set(castUrls)].map((url) => (
        <li key={url}>
          {webUrl(url) ? (
            <a href={url} target="_blank" rel="noopener noreferrer nofollow">
              <bdi>{cleanText(url)}</bdi>
            </a>
          ) : (
            <bdi>{cleanText(url)}</bdi>
          )}
        </li>
      ))}
      {quotes.map(({ fid, hash }) => (
        <li key={hash}>
          <Link to={`/cast/${hash}`}>
            {t('Quotes {aPost} of account {fid}', { fid: String(fid) })}
          </Link>
        </li>
      ))}
    </ul>
  )
}
