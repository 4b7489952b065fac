import { useEffect, useReducer, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { callApp } from '../api.ts'
import { type HubEvent, useLive } from '../live.ts'
import { describeEvent, fidsIn, NamesContext } from '../parts/event-text.tsx'
import { LiveMark } from '../parts/live-mark.tsx'
import { Title } from '../parts/title.tsx'
import type { User } from '../types.ts'

/** Events that the page keeps; older ones fall out at the end. */
const MAX_EVENTS = 200
/** By their names in the protocol, in words. */
const TYPES = {
  MERGE_MESSAGE: t('What people do'),
  PRUNE_MESSAGE: t('Removed: no room'),
  REVOKE_MESSAGE: t('Removed with a key'),
  MERGE_USERNAME_PROOF: t('Names'),
  MERGE_ON_CHAIN_EVENT: t('Accounts and keys'),
} as const

/** Accounts whose names one call asks for. */
const MAX_ASKED = 100
/** Names are asked for when nothing has come for so long. */
const PAUSE_MS = 500

/** `/events?from=12&type=MERGE_MESSAGE` */
export function Component() {
  const [params, setParams] = useSearchParams()
  const asked = params.get('type') ?? ''
  const chosen = asked in TYPES ? asked : undefined
  const from = /^\d{1,15}$/.exec(params.get('from') ?? '')?.[0]
  const change = (type: string) => setParams(type === '' ? {} : { type }, { replace: true })
  return (
    <>
      <Title>{t('Events')}</Title>
      <header className="screen-head">
        <h1>{t('Events')}</h1>
        <label className="select">
          <span className="unseen">{t('Type of events')}</span>
          <select value={chosen ?? ''} onChange={(event) => change(event.currentTarget.value)}>
            <option value="">{t('All types')}</option>
            {Object.entries(TYPES).map(([type, text]) => (
              <option key={type} value={type}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </header>
      <Stream key={`${chosen} ${from}`} type={chosen} from={from} />
    </>
  )
}

const newestFirst = (events: readonly HubEvent[], event: HubEvent): readonly HubEvent[] =>
  [event, ...events].slice(0, MAX_EVENTS)

function Stream({ type, from }: { type: string | undefined; from: string | undefined }) {
  const [events, add] = useReducer(newestFirst, [])
  const names = useNames(events)
  const [isPaused, setPaused] = useState(false)
  const [oldest, setOldest] = useState<number>()
  const [isReset, setReset] = useState(false)
  // Without a position the newest of what is kept would be missing: the page begins there on request.
  const position = events[0] === undefined ? from && Number(from) : events[0].id + 1
  const [start, setStart] = useState(position || undefined)
  const state = useLive({ ...(type && { types: [type] }), fromId: start }, add, {
    isPaused,
    onPruned: setOldest,
    onReset: () => setReset(true),
  })
  const pause = () => {
    // Goes on with the next event after those that are shown.
    if (isPaused && position) setStart(position)
    setPaused(!isPaused)
  }
  return (
    <>
      <div className="stream-bar">
        <LiveMark state={state} />
        <button type="button" className="quiet" onClick={pause}>
          {isPaused ? t('Go on') : t('Pause')}
        </button>
        {start === undefined && events.length === 0 && (
          <button type="button" className="quiet" onClick={() => setStart(1)}>
            {t('Show what is kept')}
          </button>
        )}
      </div>
      {position ? <Position id={position} /> : null}
      {isReset && (
        <p className="part-empty">
          {t('The events were reset or restored from a backup. New ones follow here.')}
        </p>
      )}
      {oldest !== undefined && (
        <p className="part-empty">
          {t('Earlier events are no longer kept. The oldest is {oldest}.', { oldest })}
        </p>
      )}
      {events.length === 0 && (
        <p className="part-empty" data-ready>
          {t(
            'Events appear here as they happen: {posts}, likes, follows, names, keys and storage.',
          )}
        </p>
      )}
      <NamesContext value={names}>
        <ol className="events">
          {events.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ol>
      </NamesContext>
    </>
  )
}

/** How the accounts in the events are called, as far as that is known. */
function useNames(events: readonly HubEvent[]): ReadonlyMap<number, User> {
  const [known, setKnown] = useState<ReadonlyMap<number, User>>(new Map())
  const asked = useRef(new Set<number>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: after an answer the next ones are asked for
  useEffect(() => {
    const unknown = new Set(fidsIn(events).filter((fid) => !asked.current.has(fid)))
    if (unknown.size === 0) return
    const timer = setTimeout(async () => {
      const fids = [...unknown].slice(0, MAX_ASKED)
      for (const fid of fids) asked.current.add(fid)
      const query = { fids: fids.join(',') }
      // Where they cannot be had, numbers stay.
      const { users } = await callApp<{ users: User[] }>('/user/bulk', { query }).catch(() => ({
        users: [],
      }))
      setKnown((before) => new Map([...before, ...users.map((user) => [user.fid, user] as const)]))
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [events, known])
  return known
}

/** From where a program, or this page, goes on. */
const Position = ({ id }: { id: number }) => (
  <p className="part-empty">
    {rich('Go on from {id}', { id: <code>{id}</code> })}{' '}
    <CopyButton value={String(id)} text={t('Copy the position')} />{' '}
    <CopyButton
      value={`${location.origin}/hub/v1/events/stream?from_event_id=${id}`}
      text={t('Copy the address of the stream')}
      isShown
    />
  </p>
)

function EventRow({ event }: { event: HubEvent }) {
  const { kind, text } = describeEvent(event)
  return (
    <li>
      <p className="event-line">
        <span className="chip">{kind}</span> {text}
      </p>
      <details>
        <summary>
          <span className="unseen">{t('Event')}</span> {event.id}
        </summary>
        <pre>{JSON.stringify(event, undefined, 2)}</pre>
      </details>
    </li>
  )
}
