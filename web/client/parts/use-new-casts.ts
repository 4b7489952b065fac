import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { callApp } from '../api.ts'
import { type HubEvent, type LiveState, useLive } from '../live.ts'
import { headersAfter } from '../own-writes.ts'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'

/** Casts that arrive within this time are fetched with one request. */
const GATHER_MS = 500
/** Of more casts in that time, the newest are shown. */
const MAX_FETCHED = 25
/** Casts that a page keeps on top of its list. */
const MAX_SHOWN = 100
const TYPES = ['MERGE_MESSAGE']

type Options = {
  /** Which casts belong to the list; those that begin threads by default. */
  belongs?: (body: CastBody) => boolean
  fids?: readonly number[]
  parentUrl?: string
  /** Loads the list again, after events may have been missed. */
  refetch: () => unknown
}

type CastBody = { parentCastId?: object; parentUrl?: string }

/** Casts as they are stored, hydrated a few at a time. */
export function useNewCasts({ belongs = beginsThread, refetch, ...filter }: Options): {
  arrived: readonly Cast[]
  state: LiveState
} {
  const { fid: viewer } = useSession()
  const [arrived, setArrived] = useState<readonly Cast[]>([])
  const waiting = useRef<string[]>([])
  const newest = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const fetchWaiting = useEffectEvent(async () => {
    timer.current = undefined
    const casts = waiting.current.splice(0).slice(-MAX_FETCHED).join(',')
    const query = { casts, viewer_fid: viewer }
    // The event may have come before the cast can be read there.
    const headers = headersAfter(newest.current)
    const { result } = await callApp<{ result: { casts: Cast[] } }>('/casts', { query, headers })
    const found = result.casts.toReversed()
    setArrived((before) => [...found, ...before].slice(0, MAX_SHOWN))
  })
  const onEvent = (event: HubEvent) => {
    const hash = newCast(event, belongs)
    if (hash === undefined) return
    waiting.current.push(hash)
    newest.current = event.id
    // A request that fails loses the casts until the list is loaded again.
    timer.current ??= setTimeout(() => fetchWaiting().catch(() => {}), GATHER_MS)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  const onReturn = () => {
    setArrived([])
    refetch()
  }
  return { arrived, state: useLive({ types: TYPES, ...filter }, onEvent, { onReturn }) }
}

const beginsThread = ({ parentCastId }: CastBody): boolean => !parentCastId

function newCast(event: HubEvent, belongs: (body: CastBody) => boolean): string | undefined {
  const message = event.mergeMessageBody?.message
  if (message?.data?.type !== 'MESSAGE_TYPE_CAST_ADD') return undefined
  return belongs(message.data.castAddBody) ? message.hash : undefined
}
