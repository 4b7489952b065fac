import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { rich } from '../../shared/rich.tsx'
import { cleanName, cleanText } from '../../shared/text.ts'
import { keyOf } from '../moderation/calls.ts'
import { Empty } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import { keepPlace, keptPlace, type Place } from './place.ts'
import type { Archive } from './read-archive.ts'
import type { Fault } from './sending.ts'
import type { Plan } from './steps.ts'

/** Two pages that import would both make a list. */
const LOCK = 'rookery.import'
const MAX_FAULTS_SHOWN = 20

type Opened = { readonly id: string; readonly archive: Archive; readonly plan: Plan }
/** What was refused since the page was opened, by what the server said: how often, and one of them. */
type Faults = ReadonlyMap<string, { readonly count: number; readonly what: string }>
type State = Place & {
  readonly faults: Faults
  readonly isRunning: boolean
  readonly error?: Error
}

/** `/import`: brings what was downloaded from this or another Rookery. */
export function Component() {
  const { fid } = useSession()
  if (fid === undefined) {
    return <Empty heading={t('Sign in to import your data')} />
  }
  return <Import key={fid} fid={fid} />
}

function Import({ fid }: { fid: number }) {
  const [opened, setOpened] = useState<Opened>()
  const [error, setError] = useState<Error>()
  const [isReading, setReading] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const open = async (file: File) => {
    setOpened(undefined)
    setError(undefined)
    setReading(true)
    try {
      const [{ readArchive }, { planOf }, { isOfAccount }] = await Promise.all([
        import('./read-archive.ts'),
        import('./steps.ts'),
        import('./whose.ts'),
      ])
      const archive = await readArchive(file)
      const id = `${fid} ${file.name} ${file.size} ${file.lastModified}`
      setOpened({ id, archive, plan: planOf(archive, await isOfAccount(archive, fid)) })
    } catch (fault) {
      setError(fault as Error)
    }
    setReading(false)
  }
  return (
    <div className="form-screen">
      <Title>{t('Import my data')}</Title>
      <h1>{t('Import my data')}</h1>
      <p>
        {t(
          'Choose the zip file of “Download my data”, of this or another Rookery. It is read in this browser; what you do not bring stays on your device.',
        )}
      </p>
      <div className="field">
        <label htmlFor="archive">{t('Zip file')}</label>
        <input
          id="archive"
          type="file"
          accept=".zip,application/zip"
          disabled={isReading || isRunning}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) void open(file)
          }}
        />
      </div>
      <div role="status">{isReading && <p className="muted">{t('Reading …')}</p>}</div>
      {error && <Notice tone="bad">{cleanText(error.message)}</Notice>}
      {opened && <Bring key={opened.id} fid={fid} opened={opened} onRunning={setRunning} />}
    </div>
  )
}

function Bring({
  fid,
  opened: { id, archive, plan },
  onRunning,
}: {
  fid: number
  opened: Opened
  onRunning: (isRunning: boolean) => void
}) {
  const [state, setState] = useState<State>(() => ({
    ...keptPlace(id, plan.steps.length),
    faults: new Map(),
    isRunning: false,
  }))
  const running = useRef<AbortController>(null)
  // It ends with the page, and with the session of the account.
  useEffect(() => () => running.current?.abort(), [])
  const { at, refused, faults, isRunning, error } = state
  const { account, server, madeAt } = archive
  const isDone = at === plan.steps.length
  const run = async () => {
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const start = isDone ? { at: 0, refused: 0, faults: new Map() } : { at, refused, faults }
    let next: State = { ...start, isRunning: true }
    const go = async () => {
      const key = await keyOf(fid)
      while (next.at < plan.steps.length) {
        signal.throwIfAborted()
        const more = await plan.steps[next.at]!.run(key, signal)
        signal.throwIfAborted()
        const all = next.refused + more.length
        next = { ...next, at: next.at + 1, refused: all, faults: withFaults(next.faults, more) }
        keepPlace(id, next)
        setState(next)
      }
    }
    setState(next)
    onRunning(true)
    try {
      await alone(go)
      setState({ ...next, isRunning: false })
    } catch (fault) {
      setState({ ...next, isRunning: false, ...(!signal.aborted && { error: fault as Error }) })
    }
    onRunning(false)
  }
  return (
    <section className="fields" aria-labelledby="found">
      <h2 id="found">
        <bdi>
          {cleanName(
            account.displayName ??
              account.username ??
              t('Account {fid}', { fid: String(account.fid) }),
          )}
        </bdi>
      </h2>
      <p className="muted">
        {rich('Downloaded from {server} on {madeAt}.', {
          server: <bdi>{cleanName(server)}</bdi>,
          madeAt: cleanName(madeAt.slice(0, 10)),
        })}
      </p>
      {plan.brought.length === 0 ? (
        <p>{t('There is nothing in it that you can bring here.')}</p>
      ) : (
        <ul>
          {plan.brought.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {!plan.isOwn && (
        <p>
          {t(
            'It is of another account than yours here, or of another server with its own numbers. What that account signed (posts, follows, likes, profile) stays its own: nobody else can write in its name. People whom it muted or put on lists have other numbers here, so their names in “follows.html” help you to find them. Pictures can be uploaded again from the folder “media”.',
          )}
        </p>
      )}
      {plan.steps.length > 0 && (
        <>
          <progress aria-label={t('Import')} max={plan.steps.length} value={at} />
          <p className="buttons">
            <button
              type="button"
              className="primary"
              disabled={isRunning}
              onClick={() => void run()}
            >
              {isRunning
                ? t('Working …')
                : at === 0
                  ? t('Bring it here')
                  : isDone
                    ? t('Once more')
                    : t('Go on')}
            </button>
            {isRunning && (
              <button type="button" className="secondary" onClick={() => running.current?.abort()}>
                {t('Stop')}
              </button>
            )}
          </p>
        </>
      )}
      <div role="status">
        {isDone && !isRunning && at > 0 && (
          <Notice tone="good">
            {refused === 0 ? t('Everything is here.') : t('The rest is here.')}{' '}
            <Link to="/">{t('Home')}</Link>
          </Notice>
        )}
        {error && (
          <Notice tone="bad">
            {t('{message} What was brought stays; choose “Go on” later.', {
              message: cleanText(error.message),
            })}
          </Notice>
        )}
      </div>
      {refused > 0 && <Refused count={refused} faults={faults} />}
    </section>
  )
}

/** What was refused, together by what the server said. */
function Refused({ count, faults }: { count: number; faults: Faults }) {
  return (
    <details>
      <summary>
        {t('{count, plural, one {# could not be brought} other {# could not be brought}}', {
          count,
        })}
      </summary>
      <ul>
        {[...faults].slice(0, MAX_FAULTS_SHOWN).map(([said, of]) => (
          <li key={said}>
            {of.count > 1
              ? rich(
                  '{others, plural, one {{what} and # more: {said}} other {{what} and # more: {said}}}',
                  {
                    what: <bdi>{cleanText(of.what)}</bdi>,
                    others: of.count - 1,
                    said: <bdi>{cleanText(said)}</bdi>,
                  },
                )
              : rich('{what}: {said}', {
                  what: <bdi>{cleanText(of.what)}</bdi>,
                  said: <bdi>{cleanText(said)}</bdi>,
                })}
          </li>
        ))}
      </ul>
      {faults.size === 0 && <p>{t('Choose “Once more” to read why.')}</p>}
    </details>
  )
}

function withFaults(faults: Faults, more: readonly Fault[]): Faults {
  if (more.length === 0) return faults
  const all = new Map(faults)
  for (const { said, what } of more) {
    const before = all.get(said)
    all.set(said, { count: (before?.count ?? 0) + 1, what: before?.what ?? what })
  }
  return all
}

/** Browsers without locks have the page that imports alone as far as its owner knows. */
const alone = (work: () => Promise<void>): Promise<void> =>
  navigator.locks
    ? navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
        if (!lock) throw new Error(t('Another page of this browser imports at the moment.'))
        return work()
      })
    : work()
