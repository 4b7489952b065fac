// The page opens without a connection, and is never older than the server where there is one.

const RELOADED = 'rookery.reloaded'
const MIN_RELOAD_MS = 30_000

export function keepUpToDate(): void {
  // A part that the server has no more: the server was updated while the page was open.
  addEventListener('vite:preloadError', () => {
    if (!navigator.onLine || wasReloaded()) return
    location.reload()
  })
  addEventListener('load', () => {
    navigator.serviceWorker?.register('/sw.js').catch(() => {
      // The page works without it as long as there is a connection.
    })
  })
}

/** Whether it was loaded again a moment ago, which did not help. */
function wasReloaded(): boolean {
  try {
    const last = Number(sessionStorage.getItem(RELOADED))
    sessionStorage.setItem(RELOADED, String(Date.now()))
    return Date.now() - last < MIN_RELOAD_MS
  } catch {
    return true
  }
}
