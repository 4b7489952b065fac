// Which addresses the pages show, share or open.

/** Schemes that run code in the page or open local files. */
const NEVER_OPENED = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])
const MAX_URL_CHARACTERS = 2_048

/** An address from an app, if it is safe to open. */
export function openable(text: string | undefined): URL | undefined {
  if (text === undefined || text.length > MAX_URL_CHARACTERS || !URL.canParse(text))
    return undefined
  const url = new URL(text)
  return NEVER_OPENED.has(url.protocol) ? undefined : url
}

/** An address of the web that a stranger wrote, if it is one; other schemes are never links. */
export function webUrl(text: string): URL | undefined {
  const url = openable(text)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  // A name before the host is shown first, and looks like the host.
  return isWeb && url.username === '' && url.password === '' ? url : undefined
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)

/**
 * The address of a page for another device: the page's own, unless that is loopback; then the server's public
 * URL.
 */
export const addressForOthers = (here: string, byServer: string | undefined): string =>
  isLoopback(here) && byServer !== undefined && URL.canParse(byServer) ? byServer : here
