import { useCallback, useEffect, useState } from 'react'
import { getApproval } from '../shared/api.ts'
import { watchRequest } from '../shared/watch.ts'
import type { Approval, KeyRequest } from '../types.ts'
import { decideView, isFinal, type View } from './view.ts'

/** How often the page looks at its clock. */
const TICK_MS = 1_000

export type RequestState = {
  readonly view: View
  readonly request: KeyRequest | undefined
  readonly approval: Approval | undefined
  /** Why the server could not be asked last time. */
  readonly error: unknown
  /** Unix seconds of the network. */
  now(): number
  /** Asks again. */
  retry(): void
  /** What an answer to something else has told about the request. */
  learn(request: KeyRequest): void
}

/** Everything about a request, kept up to date. */
export function useRequest(token: string | undefined): RequestState {
  const [attempt, setAttempt] = useState(0)
  const [request, setRequest] = useState<KeyRequest>()
  const [approval, setApproval] = useState<Approval>()
  const [aheadSeconds, setAhead] = useState(0)
  const [error, setError] = useState<unknown>()
  useTick()

  // Answers may overtake each other, but what is final stays.
  const learn = useCallback(
    (told: KeyRequest) => setRequest((before) => (before && isFinal(before.state) ? before : told)),
    [],
  )

  const state = request?.state
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (token === undefined || (state && isFinal(state))) return
    const tell = (told: KeyRequest) => {
      learn(told)
      setError(undefined)
    }
    return watchRequest(token, tell, setError)
  }, [token, attempt, state, learn])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each state says more, and so may another attempt
  useEffect(() => {
    if (token === undefined) return
    let isCurrent = true
    getApproval(token)
      .then((told) => {
        if (!isCurrent) return
        setApproval(told)
        setAhead(told.now - clock())
      })
      .catch((reason) => isCurrent && setError(reason))
    return () => {
      isCurrent = false
    }
  }, [token, attempt, state])

  const now = useCallback(() => Math.floor(clock() + aheadSeconds), [aheadSeconds])
  const retry = useCallback(() => {
    setError(undefined)
    setAttempt((count) => count + 1)
  }, [])
  const view = decideView({ token, request, approval, error, now: now() })
  return { view, request, approval, error, now, retry, learn }
}

const clock = () => Date.now() / 1000

/** Renders again as time passes: requests end, and "a minute ago" becomes two. */
function useTick(): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((count) => count + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
}
