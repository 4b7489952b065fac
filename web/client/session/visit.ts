import { VISIT_COOKIE } from '../../../src/kernel/base/languages/cookies.ts'
import { language } from '../../shared/meta.ts'
import { sessionFid } from './session-fid.ts'

/** Who comes by a link with `?lang=` and has no account here reads all pages in that language until the browser is closed. */
export function keepVisit(): void {
  if (sessionFid() !== undefined || !new URLSearchParams(location.search).has('lang')) return
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has cookieStore
  document.cookie = `${VISIT_COOKIE}=${language}; Path=/; SameSite=Lax`
}
