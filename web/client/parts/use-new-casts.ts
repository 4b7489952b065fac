import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { callApp } from '../api.ts'
import { type HubEvent, type LiveState, useLive } from '../live.ts'
import { headersAfter } from '../own-writes.ts'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'

/** Casts that arrive within this time are fetched with one request. */
const GATHER_MS = 500
/** Of more casts in that time, the newest are fetched. */
const MAX_FETCHED = 25
/** Casts that wait to be shown; with more, the list is read again. */
const MAX_WAITING = 100
/** Lists that no stream of events follows are looked at this often. */
const LOOK_MS = 60_000
/** A list that was read longer ago may lack casts. */
const MAX_AGE_MS = 5_000
const NOTHING: WithCasts = { casts: [] }
const TYPES = ['MERGE_MESSAGE']

type WithCasts = { readonly casts: readonly Cast[] }

/** A list of casts on a screen (see useScreen). */
export type CastsOnScreen = {
  readonly pages: readonly WithCasts[]
  readonly dataUpdatedAt: number
  readonly refetch: () => unknown
  readonly readNewest: () => Promise<WithCasts>
  readonly changeFirst: (change: <P extends WithCasts>(page: P) => P) => unknown
}

type Options = {
  list: CastsOnScreen
  /** Which casts belong to the list; those that begin threads by default. */
  belongs?: (body: CastBody) => boolean
  parentUrl?: string
  /** Whether events say what is new; else the list is asked for now and then. */
  isLive?: boolean
}

type CastBody = { parentCastId?: object; parentUrl?: string }

export type NewCasts = {
  /** Casts that are not shown yet. */
  readonly waiting: readonly Cast[]
  /** Those that were put on top of the list. */
  readonly added: ReadonlySet<string>
  readonly show: () => void
  readonly state: LiveState
}

/**
 * Casts that were stored since a list was read. They wait until the reader asks for them, so that nothing moves; what the
 * reader wrote is there at once.
 */
export function useNewCasts({
  list,
  belongs = beginsThread,
  isLive = true,
  ...filter
}: Options): NewCasts {
  const { fid: viewer } = useSession()
  const [waiting, setWaiting] = useState<readonly Cast[]>([])
  const [hasGap, setGap] = useState(false)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const unknown = (casts: readonly Cast[]) => {
    const known = new Set(
      [...waiting, ...list.pages.flatMap((page) => page.casts)].map(({ hash }) => hash),
    )
    return casts.filter(({ hash }) => !known.has(hash))
  }
  const putOnTop = (casts: readonly Cast[]) => {
    if (casts.length === 0) return
    list.changeFirst((page) => ({ ...page, casts: [...casts, ...page.casts] }))
  }
  const add = useEffectEvent((casts: readonly Cast[]) => {
    const news = unknown(casts)
    putOnTop(news.filter(({ author }) => author.fid === viewer))
    const more = [...news.filter(({ author }) => author.fid !== viewer), ...waiting]
    if (more.length > MAX_WAITING) setGap(true)
    setWaiting(more.slice(0, MAX_WAITING))
  })
  const look = useEffectEvent(async () => {
    // Without an answer the list stays as it is.
    const { casts } = await list.readNewest().catch(() => NOTHING)
    if (casts.length > 0 && unknown(casts).length === casts.length) setGap(true)
    add(casts)
  })
  const lookIfOld = useEffectEvent(() => {
    if (Date.now() - list.dataUpdatedAt > MAX_AGE_MS) look()
  })
  useEffect(() => {
    lookIfOld()
    if (isLive) return
    const timer = setInterval(() => {
      if (!document.hidden) look()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [isLive])
  const onEvent = useFetchedCasts(belongs, add)
  const state = useLive({ types: TYPES, ...filter }, onEvent, {
    onReturn: () => void look(),
    isPaused: !isLive,
  })
  const show = () => {
    setWaiting([])
    setAdded(new Set(waiting.map(({ hash }) => hash)))
    if (hasGap) {
      setGap(false)
      list.refetch()
    } else {
      putOnTop(waiting)
    }
    window.scrollTo(0, 0)
  }
  return { waiting, added, show, state }
}

/** Hydrates the casts of events, a few at a time. */
function useFetchedCasts(
  belongs: (body: CastBody) => boolean,
  add: (casts: readonly Cast[]) => void,
): (event: HubEvent) => void {
  const { fid: viewer } = useSession()
  const hashes = useRef<string[]>([])
  const newest = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const fetchAll = useEffectEvent(async () => {
    timer.current = undefined
    const casts = hashes.current.splice(0).slice(-MAX_FETCHED).join(',')
    const query = { casts, viewer_fid: viewer }
    // The event may have come before the cast can be read there.
    const headers = headersAfter(newest.current)
    const { result } = await callApp<{ result: { casts: Cast[] } }>('/casts', { query, headers })
    add(result.casts.toReversed())
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return (event) => {
    const hash = newCast(event, belongs)
    if (hash === undefined) return
    hashes.current.push(hash)
    newest.current = event.id
    // A request that fails loses the casts until the list is loaded again.
    timer.current ??= setTimeout(() => fetchAll().catch(() => {}), GATHER_MS)
  }
}

const beginsThread = ({ parentCastId }: CastBody): boolean => !parentCastId

function newCast(event: HubEvent, belongs: (body: CastBody) => boolean): string | undefined {
  const message = event.mergeMessageBody?.message
  if (message?.data?.type !== 'MESSAGE_TYPE_CAST_ADD') return undefined
  return belongs(message.data.castAddBody) ? message.hash : undefined
}
