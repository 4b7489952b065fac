import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

const PROBE_MS = 5_000
/** A small file that is never kept: only the server answers. */
const PROBE = '/manifest.webmanifest'
/** Statuses of a proxy before a server that is not there. */
const GONE = [502, 503, 504]

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
  useEffect(() => (isUnreachable ? probeUntilReached(() => again()) : undefined), [isUnreachable])
  return isOffline ? 'offline' : isUnreachable ? 'unreachable' : undefined
}

/** Calls back when the server answers that did not answer before. Returns what ends it. */
function probeUntilReached(reached: () => void): () => void {
  let wasLost = false
  const probe = async () => {
    if (await isReachable()) {
      if (wasLost) reached()
      clearInterval(timer)
    } else wasLost = true
  }
  const timer = setInterval(probe, PROBE_MS)
  void probe()
  return () => clearInterval(timer)
}

const isReachable = (): Promise<boolean> =>
  fetch(PROBE, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => !GONE.includes(status),
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
