import { useCallback, useEffect, useState } from 'react'
import { getApproval } from '../shared/api.ts'
import { watchRequest } from '../shared/watch.ts'
import type { Approval, KeyRequest } from '../types.ts'
import { decideView, isExpired, isFinal, isUnknown, type View } from './view.ts'

/** How often the page checks its clock. */
const TICK_MS = 1_000

export type RequestState = {
  readonly view: View
  readonly request: KeyRequest | undefined
  readonly approval: Approval | undefined
  /** The last error of loading the request. */
  readonly error: unknown
  /** Unix seconds of the network. */
  now(): number
  /** Loads it again. */
  retry(): void
  /** State of the request that another answer contained. */
  learn(request: KeyRequest): void
}

/** The request with everything the page shows of it, kept up to date. */
export function useRequest(token: string | undefined): RequestState {
  const [attempt, setAttempt] = useState(0)
  const retry = useCallback(() => setAttempt((count) => count + 1), [])
  const { request, learn, error: watchError } = useWatched(token, attempt)
  const known = request?.token ?? (isExpired(watchError) ? token : undefined)
  const { approval, error: detailsError } = useDetails(known, attempt)
  useTick()

  const aheadSeconds = approval?.aheadSeconds ?? 0
  const now = useCallback(() => Math.floor(clock() + aheadSeconds), [aheadSeconds])
  const error = watchError ?? detailsError
  const view = decideView({ token, request, approval, error, now: now() })
  return { view, request, approval, error, now, retry, learn }
}

/** The request as it is now. */
function useWatched(token: string | undefined, attempt: number) {
  const [request, setRequest] = useState<KeyRequest>()
  const [error, setError] = useState<unknown>()
  // Answers may arrive out of order, but a final state stays.
  const learn = useCallback(
    (told: KeyRequest) => setRequest((before) => (before && isFinal(before.state) ? before : told)),
    [],
  )
  const isOver = (request !== undefined && isFinal(request.state)) || isUnknown(error)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (token === undefined || isOver) return
    const tell = (told: KeyRequest) => {
      learn(told)
      setError(undefined)
    }
    return watchRequest(token, tell, setError)
  }, [token, attempt, isOver, learn])
  return { request, learn, error }
}

/** The parts of a request that never change. */
function useDetails(token: string | undefined, attempt: number) {
  const [approval, setApproval] = useState<Approval & { aheadSeconds: number }>()
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (token === undefined) return
    setError(undefined)
    getApproval(token).then(
      (told) => setApproval({ ...told, aheadSeconds: told.now - clock() }),
      (reason) => setError(reason),
    )
  }, [token, attempt])
  return { approval, error }
}

const clock = () => Date.now() / 1000

/** Renders again as time passes: requests expire, and relative times change. */
function useTick(): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
}
