import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { isOfServer } from '../../shared/request.ts'

const PROBE_MS = 5_000
/** A small file that is never kept: only the server answers. */
const PROBE = '/manifest.webmanifest'

/**
 * Whether what was asked for is missing because the browser has no connection, or because the server cannot be reached: a
 * browser in a network without a way out believes that it has a connection. Tries again once there is one.
 */
export function useLost(
  isUnreachable: boolean,
  retry: (() => void) | undefined,
): 'offline' | 'unreachable' | undefined {
  const isOffline = useSyncExternalStore(subscribeToConnection, () => !navigator.onLine)
  const again = useEffectEvent(() => retry?.())
  useEffect(() => {
    const run = () => again()
    addEventListener('online', run)
    return () => removeEventListener('online', run)
  }, [])
  useEffect(() => (isUnreachable ? whileLost(() => again()) : undefined), [isUnreachable])
  return isOffline ? 'offline' : isUnreachable ? 'unreachable' : undefined
}

/** Calls back each time the server answers a probe, for as long as what was lost is missing. Returns what ends it. */
function whileLost(reached: () => void): () => void {
  let isOver = false
  let timer = setTimeout(probe, PROBE_MS)
  async function probe() {
    const isReached = await isReachable()
    if (isOver) return
    // What was asked for may fail again although the server answers.
    timer = setTimeout(probe, PROBE_MS)
    if (isReached) reached()
  }
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

const isReachable = (): Promise<boolean> =>
  fetch(PROBE, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ status, headers }) => isOfServer(status, headers.get('x-request-id')),
    () => false,
  )

function subscribeToConnection(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
