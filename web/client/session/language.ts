import { LANGUAGE_COOKIE, VISIT_COOKIE } from '../../../src/kernel/base/languages/cookies.ts'
import { language } from '../../shared/meta.ts'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import { READS_KEY } from '../translation/reads.ts'
import type { OwnLanguage } from '../types.ts'

// The language of this browser, which the server reads in a cookie, and of the account, which the server keeps. What was chosen
// last counts: a choice in a browser without an account becomes that of the account that signs in there.

const PATH = '/language/own'
/** The account has to be told of the choice. */
const UNTOLD = 'rookery.language'
/** Of which account this tab has asked. */
const ASKED = 'rookery.language-asked'
/** Which account was made in this tab. */
const MADE = 'rookery.language-made'
const YEAR_SECONDS = 365 * 86_400

const cookieOf = (name: string): string =>
  new RegExp(`(?:^|; *)${name}=([^;]+)`).exec(document.cookie)?.[1] ?? ''

/** What counts in this browser: for this visit, or chosen in it; empty: as it says itself. */
export const chosenLanguage = (): string => cookieOf(VISIT_COOKIE) || cookieOf(LANGUAGE_COOKIE)

/** Chooses a language, or with an empty code that of the browser. The account is told with the next page where that fails now. */
export async function chooseLanguage(code: string, fid: number | undefined): Promise<void> {
  keepInBrowser(code)
  write(localStorage, UNTOLD, code || '-')
  if (fid !== undefined) await tellAccount(fid).catch(() => {})
  show()
}

/** Once in each tab: what the account has chosen on another device. */
export async function followLanguage(fid: number): Promise<void> {
  if (read(localStorage, UNTOLD)) return tellAccount(fid)
  if (read(sessionStorage, ASKED) === String(fid)) return
  const key = await findKey(fid)
  if (!key) return
  const own = await callApp<OwnLanguage>(PATH, { token: await tokenFor(key) })
  keepReads(fid, own.reads)
  if (own.written === null) {
    // The cookie may be the choice of who had this browser before: it becomes that of an account which was made on a page in this
    // language, and of no other. The page stays: a new account is being shown its words.
    const isMade = read(sessionStorage, MADE) === String(fid)
    await tell(fid, key, isMade ? cookieOf(LANGUAGE_COOKIE) : '')
    write(sessionStorage, ASKED, String(fid))
    return
  }
  write(sessionStorage, ASKED, String(fid))
  const chosen = own.language ?? ''
  if (chosen === cookieOf(LANGUAGE_COOKIE)) return
  keepInBrowser(chosen)
  // Nobody loses what was typed: the next page has the language.
  const isTyping = document.activeElement?.matches('input, textarea, select, [contenteditable]')
  if (chosen !== language && !isTyping) show()
}

/** An account was made in this tab: it goes on in the language of the page. */
export const noteMade = (fid: number): void => write(sessionStorage, MADE, String(fid))

/** The languages in which the account reads posts. */
export const keepReads = (fid: number, reads: readonly string[]): void =>
  write(localStorage, READS_KEY, reads.length > 0 ? [fid, ...reads].join(' ') : undefined)

/** Who has no account loads nothing of it. */
const tokenFor = async (key: BrowserKey) => (await import('../act/platform.ts')).tokenOf(key)

async function tellAccount(fid: number): Promise<void> {
  const key = await findKey(fid)
  const untold = read(localStorage, UNTOLD)
  if (!key || !untold) return
  await tell(fid, key, untold === '-' ? '' : untold)
  write(localStorage, UNTOLD, undefined)
}

async function tell(fid: number, key: BrowserKey, code: string): Promise<void> {
  const call = {
    method: 'PUT',
    body: { language: code || null },
    token: await tokenFor(key),
  } as const
  keepReads(fid, (await callApp<OwnLanguage>(PATH, call)).reads)
}

function keepInBrowser(code: string): void {
  const isSecure = location.protocol === 'https:' ? '; Secure' : ''
  const keep = (name: string, value: string, seconds: number) => {
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has cookieStore
    document.cookie = `${name}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${isSecure}`
  }
  keep(LANGUAGE_COOKIE, code, code === '' ? 0 : YEAR_SECONDS)
  keep(VISIT_COOKIE, '', 0)
}

/** Texts are made as the page is loaded. The page that opens without a connection is kept in the language too. */
function show(): void {
  navigator.serviceWorker?.controller?.postMessage({ keep: 'page' })
  const { pathname, search, hash } = location
  const query = new URLSearchParams(search)
  query.delete('lang')
  const next = `${pathname}${query.size > 0 ? `?${query}` : ''}${hash}`
  if (next === pathname + search + hash) location.reload()
  else location.replace(next)
}

/** Without storage, as in some private windows, only the cookie is kept. */
function read(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(name)
  } catch {
    return null
  }
}
function write(storage: Storage, name: string, value: string | undefined): void {
  try {
    if (value === undefined) storage.removeItem(name)
    else storage.setItem(name, value)
  } catch {}
}
