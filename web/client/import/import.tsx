import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { Notice } from '../../shared/page.tsx'
import { cleanName, cleanText } from '../../shared/text.ts'
import { keyOf } from '../moderation/calls.ts'
import { Empty } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Archive } from './read-archive.ts'
import type { Fault, Plan } from './steps.ts'

/** Where an import of a file stopped, so that it goes on there. */
const PLACE = 'rookery.import'
const MAX_FAULTS_SHOWN = 20

type Opened = { readonly id: string; readonly archive: Archive; readonly plan: Plan }
type State = {
  readonly at: number
  readonly faults: readonly Fault[]
  readonly isRunning: boolean
  readonly error?: Error
}

/** `/import`: brings what was downloaded from this or another Rookery. */
export function Component() {
  const { fid } = useSession()
  const [opened, setOpened] = useState<Opened>()
  const [error, setError] = useState<Error>()
  const [isReading, setReading] = useState(false)
  if (fid === undefined) {
    return <Empty heading="Sign in to import your data" />
  }
  const open = async (file: File) => {
    setOpened(undefined)
    setError(undefined)
    setReading(true)
    try {
      const [{ readArchive }, { planOf }] = await Promise.all([
        import('./read-archive.ts'),
        import('./steps.ts'),
      ])
      const archive = await readArchive(file)
      const id = `${fid} ${file.name} ${file.size} ${file.lastModified}`
      setOpened({ id, archive, plan: planOf(archive, fid) })
    } catch (fault) {
      setError(fault as Error)
    }
    setReading(false)
  }
  return (
    <div className="form-screen">
      <Title>Import my data</Title>
      <h1>Import my data</h1>
      <p>
        Choose the zip file of “Download my data”, of this or another Rookery. It is read in this
        browser; what you do not bring stays on your device.
      </p>
      <div className="field">
        <label htmlFor="archive">Zip file</label>
        <input
          id="archive"
          type="file"
          accept=".zip,application/zip"
          disabled={isReading}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) void open(file)
          }}
        />
      </div>
      <div role="status">{isReading && <p className="muted">Reading …</p>}</div>
      {error && <Notice tone="bad">{cleanText(error.message)}</Notice>}
      {opened && <Bring key={opened.id} fid={fid} opened={opened} />}
    </div>
  )
}

function Bring({ fid, opened: { id, archive, plan } }: { fid: number; opened: Opened }) {
  const first = placeOf(id, plan.steps.length)
  const [state, setState] = useState<State>({ at: first, faults: [], isRunning: false })
  const stop = useRef(false)
  const { at, faults, isRunning, error } = state
  const { account, server, madeAt } = archive
  const isDone = at === plan.steps.length
  const run = async () => {
    stop.current = false
    let next: State = { at: isDone ? 0 : at, faults: [], isRunning: true }
    setState(next)
    try {
      const key = await keyOf(fid)
      while (next.at < plan.steps.length && !stop.current) {
        const more = await plan.steps[next.at]!.run(key)
        next = { ...next, at: next.at + 1, faults: [...next.faults, ...more] }
        keepPlace(id, next.at)
        setState(next)
      }
      setState({ ...next, isRunning: false })
    } catch (fault) {
      setState({ ...next, isRunning: false, error: fault as Error })
    }
  }
  return (
    <section className="fields" aria-labelledby="found">
      <h2 id="found">
        <bdi>{cleanName(account.displayName ?? account.username ?? `Account ${account.fid}`)}</bdi>
      </h2>
      <p className="muted">
        Downloaded from <bdi>{cleanName(server)}</bdi> on {cleanName(madeAt.slice(0, 10))}.
      </p>
      {plan.brought.length === 0 ? (
        <p>There is nothing in it that you can bring here.</p>
      ) : (
        <ul>
          {plan.brought.map(([count, what]) => (
            <li key={what}>
              {count.toLocaleString()} {what}
            </li>
          ))}
        </ul>
      )}
      {!plan.isOwn && (
        <p>
          It is of another account than yours here. What that account signed (posts, follows, likes,
          profile) stays its own: nobody else can write in its name. People whom it muted or put on
          lists have other numbers here, so their names in “follows.html” help you to find them.
          Pictures can be uploaded again from the folder “media”.
        </p>
      )}
      {plan.steps.length > 0 && (
        <>
          <progress aria-label="Import" max={plan.steps.length} value={at} />
          <p className="buttons">
            <button
              type="button"
              className="primary"
              disabled={isRunning}
              onClick={() => void run()}
            >
              {isRunning
                ? 'Working …'
                : at === 0
                  ? 'Bring it here'
                  : isDone
                    ? 'Once more'
                    : 'Go on'}
            </button>
            {isRunning && (
              <button
                type="button"
                className="secondary"
                onClick={() => {
                  stop.current = true
                }}
              >
                Stop
              </button>
            )}
          </p>
        </>
      )}
      <div role="status">
        {isDone && !isRunning && at > 0 && (
          <Notice tone="good">
            {faults.length === 0 ? 'Everything is here.' : 'The rest is here.'}{' '}
            <Link to="/">Home</Link>
          </Notice>
        )}
        {error && (
          <Notice tone="bad">
            {cleanText(error.message)} What was brought stays; choose “Go on” later.
          </Notice>
        )}
      </div>
      {faults.length > 0 && <Faults faults={faults} />}
    </section>
  )
}

/** What was refused, together by what the server said. */
function Faults({ faults }: { faults: readonly Fault[] }) {
  const byReason = [...Map.groupBy(faults, ({ said }) => said)]
  return (
    <details>
      <summary>{faults.length.toLocaleString()} could not be brought</summary>
      <ul>
        {byReason.slice(0, MAX_FAULTS_SHOWN).map(([said, of]) => (
          <li key={said}>
            <bdi>{cleanText(of[0]!.what)}</bdi>
            {of.length > 1 && ` and ${of.length - 1} more`}: <bdi>{cleanText(said)}</bdi>
          </li>
        ))}
      </ul>
    </details>
  )
}

function placeOf(id: string, steps: number): number {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '{}')
    return kept.id === id && Number.isSafeInteger(kept.at) && kept.at <= steps ? kept.at : 0
  } catch {
    return 0
  }
}

function keepPlace(id: string, at: number): void {
  try {
    localStorage.setItem(PLACE, JSON.stringify({ id, at }))
  } catch {}
}
