import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { fetchJson, queryText, Refusal } from '../shared/request.ts'

// The live feed: events of the hub as they are stored.

/** An event as the hub writes it; the body depends on the type. */
export type HubEvent = {
  readonly type: string
  readonly id: number
  // biome-ignore lint/suspicious/noExplicitAny: a body for each type, read by those who show it
  readonly [body: string]: any
}

export type LiveState = 'connecting' | 'live' | 'waiting' | 'paused'

const URL_PATH = '/hub/v1/events/stream'
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000

export type LiveFilter = {
  readonly types?: readonly string[]
  readonly fids?: readonly number[]
  readonly parentUrl?: string
  readonly targetFid?: number
  /** The first event, instead of the next one to happen. */
  readonly fromId?: number | undefined
}

type Listener = {
  readonly event: (event: HubEvent) => void
  readonly state: (state: LiveState) => void
  /** Events were asked for that are no longer kept. */
  readonly pruned: (oldestEventId: number) => void
  /** The position is above the newest event: the events were reset or restored. The stream goes on at the newest one. */
  readonly reset: () => void
}

/**
 * Follows events. A lost connection is made again after the last event, with exponential backoff and jitter. Returns a
 * function that ends it.
 */
export function followEvents(filter: LiveFilter, listener: Listener): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let fromId = filter.fromId
  let failures = 0
  let isEnded = false
  const open = () => {
    listener.state('connecting')
    source = new EventSource(URL_PATH + queryText(queryOf(filter, fromId)))
    source.onopen = () => {
      failures = 0
      listener.state('live')
    }
    source.onmessage = ({ data, lastEventId }) => {
      fromId = Number(lastEventId) + 1
      listener.event(JSON.parse(data))
    }
    source.addEventListener('pruned', ({ data }) => {
      listener.pruned(JSON.parse(data).oldestEventId)
    })
    source.onerror = async () => {
      // An answer that is no stream closes it; a lost connection does not.
      const isRefused = source?.readyState === EventSource.CLOSED
      source?.close()
      listener.state('waiting')
      failures += 1
      if (isRefused && fromId !== undefined && (await isAboveNewest(fromId))) {
        fromId = undefined
        if (!isEnded) listener.reset()
      }
      if (isEnded) return
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
      timer = setTimeout(open, wait * (0.5 + Math.random() / 2))
    }
  }
  open()
  return () => {
    isEnded = true
    source?.close()
    clearTimeout(timer)
  }
}

/** Whether that is why a stream from this event was refused: an EventSource does not say. */
async function isAboveNewest(fromId: number): Promise<boolean> {
  const query = { from_event_id: fromId, pageSize: 1 }
  const refusal = await fetchJson('/hub/v1/events', { query }).catch((error) => error)
  return refusal instanceof Refusal && refusal.reason === 'bad_request.future_event'
}

const queryOf = (
  { types, fids, parentUrl, targetFid }: LiveFilter,
  fromId: number | undefined,
) => ({
  event_types: types?.join(','),
  fids: fids?.join(','),
  parent_url: parentUrl,
  target_fid: targetFid,
  from_event_id: fromId ?? 'latest',
})

/**
 * Follows events while the page is visible: browsers open few connections to one server, and hidden pages would use
 * them up. `onReturn` is called when the page is shown again, because events may have been missed.
 */
export function useLive(
  filter: LiveFilter,
  onEvent: (event: HubEvent) => void,
  {
    onReturn = () => {},
    onPruned = () => {},
    onReset = onReturn,
    isPaused = false,
  }: LiveOptions = {},
): LiveState {
  const [state, setState] = useState<LiveState>('connecting')
  const isVisible = useVisible()
  const key = JSON.stringify(filter)
  const event = useEffectEvent(onEvent)
  const pruned = useEffectEvent(onPruned)
  const returned = useEffectEvent(onReturn)
  const reset = useEffectEvent(onReset)
  const wasOff = useRef(false)
  const isOff = !isVisible || isPaused
  useEffect(() => {
    if (isOff) {
      wasOff.current = true
      setState('paused')
      return
    }
    if (wasOff.current) returned()
    wasOff.current = false
    return followEvents(JSON.parse(key), { event, state: setState, pruned, reset })
  }, [key, isOff])
  return state
}

type LiveOptions = {
  readonly onReturn?: () => void
  readonly onPruned?: (oldestEventId: number) => void
  /** As `onReturn` unless given. */
  readonly onReset?: () => void
  readonly isPaused?: boolean
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const look = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}
