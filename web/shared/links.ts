// Which addresses the pages show, hand on, or let somebody open.

/** What would run in the page, or show the files of who opens it. */
const NEVER_OPENED = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:'])
const MAX_URL_CHARACTERS = 2_048

/** An address given by an app, when it is one that a tap may open. */
export function openable(text: string | undefined): URL | undefined {
  if (text === undefined || text.length > MAX_URL_CHARACTERS || !URL.canParse(text))
    return undefined
  const url = new URL(text)
  return NEVER_OPENED.has(url.protocol) ? undefined : url
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)

/**
 * The address of a page for another device: the one at which it was opened, unless that is this
 * machine's own; then the one that the server goes by.
 */
export const addressForOthers = (here: string, byServer: string | undefined): string =>
  isLoopback(here) && byServer !== undefined && URL.canParse(byServer) ? byServer : here
