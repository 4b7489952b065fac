import type { Exchange, Report } from '../../../../src/dev/snaps/schemas.ts'
import { CopyButton } from '../../../shared/copy-button.tsx'
import { ScrollList } from '../../miniapps/room/scroll-list.tsx'
import { countOf } from '../../miniapps/room/words.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { type Bench, SLOW_MS } from './bench.ts'

const MAX_VALUE_CHARACTERS = 20_000

type Read = {
  readonly data: Report | undefined
  readonly error: Error | null
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly refetch: () => unknown
}

/** What is wrong about the answers of the server, each with its mend. */
export function FaultsPane({ read, verify }: { read: Read; verify: () => unknown }) {
  const { data, error, isPending, isFetching, refetch } = read
  const faults = data?.faults ?? []
  const errors = faults.filter(({ severity }) => severity === 'error')
  return (
    <details className="room-pane" open>
      <summary>
        Answers of the server
        {data &&
          ` (${countOf(errors.length, 'fault')}, ${countOf(faults.length - errors.length, 'warning')})`}
      </summary>
      <p className="room-tools">
        <button type="button" className="secondary" disabled={isFetching} onClick={refetch}>
          Read again
        </button>
        <button type="button" className="secondary" disabled={isFetching} onClick={verify}>
          Try wrong presses
        </button>
      </p>
      <p className="muted">
        Wrong presses are for another origin, an hour old, for another account, or changed. The
        first button is pressed with each, and then once rightly.
      </p>
      {isPending && <Loading what="Reading the snap" rows={1} />}
      {error && <Failed error={error} retry={refetch} />}
      {data && faults.length === 0 && <p>Nothing is wrong.</p>}
      <ScrollList label="Faults and warnings">
        <ul className="room-faults">
          {[...errors, ...faults.filter(({ severity }) => severity === 'warning')].map(
            ({ severity, rule, url, path, message, fix }) => (
              <li key={`${rule} ${url} ${path} ${message}`} className={severity}>
                <p>
                  <strong>
                    {severity === 'error' ? 'Fault' : 'Warning'}, {rule}
                  </strong>{' '}
                  {path && <code>{path}</code>} {message}
                </p>
                <p className="muted">{fix}</p>
              </li>
            ),
          )}
        </ul>
      </ScrollList>
    </details>
  )
}

/** How the next press goes, and where the snap is shown. */
export function ContextPane({ bench, view }: { bench: Bench; view: () => unknown }) {
  const { isInCast, isSlow, isLost } = bench.use()
  const choices = [
    { text: 'In a cast of account 1', isOn: isInCast, put: (isInCast: boolean) => ({ isInCast }) },
    {
      text: `Each answer takes ${SLOW_MS / 1_000} seconds`,
      isOn: isSlow,
      put: (isSlow: boolean) => ({ isSlow }),
    },
    { text: 'The next press has no answer', isOn: isLost, put: (isLost: boolean) => ({ isLost }) },
  ]
  return (
    <details className="room-pane">
      <summary>Context</summary>
      <ul className="room-faults">
        {choices.map(({ text, isOn, put }) => (
          <li key={text}>
            <label className="check">
              <input
                type="checkbox"
                checked={isOn}
                onChange={({ target }) => bench.choose(put(target.checked))}
              />
              {text}
            </label>
          </li>
        ))}
      </ul>
      <p className="room-tools">
        <button type="button" className="secondary" onClick={view}>
          Ask with X-Snap-Payload
        </button>
      </p>
    </details>
  )
}

/** Every page that came, to be drawn again. */
export function HistoryPane({ bench, first }: { bench: Bench; first: string }) {
  const { seen, drawn } = bench.use()
  return (
    <details className="room-pane" open>
      <summary>Pages ({seen.length + 1})</summary>
      <ScrollList label="Pages">
        <ol className="room-messages">
          <li>
            <button
              type="button"
              className="link"
              aria-pressed={!drawn}
              onClick={() => bench.choose({ drawn: undefined })}
            >
              The first page
            </button>{' '}
            <span className="muted">{first}</span>
          </li>
          {seen.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                className="link"
                aria-pressed={drawn?.id === one.id}
                onClick={() => bench.choose({ drawn: one })}
              >
                {countOf(Object.keys(one.page.ui.elements).length, 'element')}
              </button>{' '}
              <span className="muted">{one.url}</span>
            </li>
          ))}
        </ol>
      </ScrollList>
    </details>
  )
}

/** Every request and answer, the newest first, with what was signed. */
export function ExchangesPane({ bench }: { bench: Bench }) {
  const { exchanges } = bench.use()
  return (
    <details className="room-pane" open>
      <summary>Requests ({exchanges.length})</summary>
      <p className="room-tools">
        <CopyButton
          value={JSON.stringify(exchanges, null, 1)}
          text="Copy the requests as JSON"
          isShown
        />
        <button type="button" className="link" onClick={() => bench.choose({ exchanges: [] })}>
          Clear
        </button>
      </p>
      {exchanges.length === 0 && <p className="muted">No request yet.</p>}
      <ScrollList label="Requests">
        <ol className="room-messages" reversed>
          {exchanges.toReversed().map((exchange) => (
            <li key={exchange.id} className={exchange.status === 200 ? 'good' : 'bad'}>
              <ExchangeView exchange={exchange} />
            </li>
          ))}
        </ol>
      </ScrollList>
    </details>
  )
}

function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { what, method, url, status, ms, requestHeaders, requestBody, faults } = exchange
  const signed = signedIn(exchange)
  return (
    <details>
      <summary>
        <strong>{status ?? 'no answer'}</strong> {method} {new URL(url).pathname}, {ms} ms{' '}
        <span className="muted">{what}</span>
        {faults.length > 0 && `, ${countOf(faults.length, 'fault')}`}
      </summary>
      <h2>Request</h2>
      <pre>{textOf(requestHeaders)}</pre>
      {signed && (
        <>
          <h2>Signed</h2>
          <pre>{textOf(signed)}</pre>
        </>
      )}
      {requestBody !== undefined && (
        <>
          <h2>Body</h2>
          <pre>{textOf(jsonIn(requestBody))}</pre>
        </>
      )}
      <h2>Answer</h2>
      <pre>{textOf(exchange.responseHeaders)}</pre>
      <pre>
        {textOf(
          exchange.error && !exchange.responseBody ? exchange.error : jsonIn(exchange.responseBody),
        )}
      </pre>
    </details>
  )
}

/** Header and payload of the JFS of a request, decoded. */
function signedIn({ requestHeaders, requestBody }: Exchange): object | undefined {
  const compact = requestHeaders['x-snap-payload']?.split('.')
  const body = requestBody === undefined ? undefined : jsonIn(requestBody)
  const [header, payload] = compact ?? [part(body, 'header'), part(body, 'payload')]
  if (!header || !payload) return undefined
  return { header: decoded(header), payload: decoded(payload) }
}

const part = (body: unknown, name: string): string | undefined =>
  (body as Record<string, string> | undefined)?.[name]

const decoded = (text: string): unknown =>
  jsonIn(
    new TextDecoder().decode(
      Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
        one.charCodeAt(0),
      ),
    ),
  )

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1)
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text
}
