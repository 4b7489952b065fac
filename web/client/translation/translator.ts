import { Refusal } from '../../shared/request.ts'
import { findKey } from '../act/key-store.ts'
import { callApp } from '../api.ts'
import type { Cast, CastTranslation } from '../types.ts'

// Who translates: the server, where its operator has set a translator up; else the browser, on the device; else a page that the reader
// opens.

export type Made = {
  readonly text: string
  readonly from: string
  readonly language: string
  /** Undefined: the browser has made it. */
  readonly by?: string
}

/** The interface of browsers that have a translator themselves (https://webmachinelearning.github.io/translation-api/). */
type BrowserTranslator = {
  availability(pair: Pair): Promise<string>
  create(pair: Pair): Promise<{ translate(text: string): Promise<string>; destroy(): void }>
}
type Pair = { readonly sourceLanguage: string; readonly targetLanguage: string }

/** By the server; undefined where it has no translator, or does not know who asks. */
export async function byServer(
  { hash, lang }: Cast,
  fid: number | undefined,
  language: string,
): Promise<Made | undefined> {
  const key = fid === undefined ? undefined : await findKey(fid)
  if (!key) return undefined
  const { tokenOf } = await import('../act/platform.ts')
  try {
    const { text, from, by } = await callApp<CastTranslation>('/cast/translation', {
      method: 'POST',
      body: { cast_hash: hash, language },
      token: await tokenOf(key),
    })
    return { text, from: from ?? lang ?? '', language, by }
  } catch (error) {
    if (error instanceof Refusal && error.reason === NO_TRANSLATOR) return undefined
    throw error
  }
}
const NO_TRANSLATOR = 'NotSupported'

/** A browser may have to load what it needs first, and some that cannot never say so (Chromium without its component updater). */
const BROWSER_LIMIT_MS = 10_000

/** By the browser itself; undefined where it cannot now. What it loads meanwhile it has the next time. */
export async function byBrowser({ text, lang }: Cast, language: string): Promise<Made | undefined> {
  const { Translator: own } = globalThis as { Translator?: BrowserTranslator }
  if (!own || lang === undefined) return undefined
  const pair = { sourceLanguage: lang, targetLanguage: language }
  const make = async (): Promise<Made | undefined> => {
    if ((await own.availability(pair)) === 'unavailable') return undefined
    const made = await own.create(pair)
    try {
      return { text: await made.translate(text), from: lang, language }
    } finally {
      made.destroy()
    }
  }
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, BROWSER_LIMIT_MS))
  return Promise.race([make().catch(() => undefined), late])
}

const MAX_LINKED_CHARACTERS = 2_000

/** A page that translates. It gets the text when it is opened. */
export function pageOf({ text, lang = 'auto' }: Cast, language: string): URL {
  const url = new URL('https://translate.google.com/')
  const shown = text.slice(0, MAX_LINKED_CHARACTERS)
  url.search = new URLSearchParams({
    sl: lang,
    tl: language,
    op: 'translate',
    text: shown,
  }).toString()
  return url
}
