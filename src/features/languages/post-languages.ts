import { LRUCache } from 'lru-cache'
import { languageOfText } from './language-of-text.ts'
import type { LanguageOfPost } from './port.ts'

/** About 2 MB. A code is kept under the hash of its post, which no other text has. */
const MAX_KEPT = 20_000
const UNKNOWN = ''

/**
 * Tells the languages of posts when they are answered. The detector takes 29 MB and a fifth of a second of processor time to load, which
 * the first answer with posts waits for.
 */
export function postLanguages(): () => Promise<LanguageOfPost> {
  let loading: Promise<LanguageOfPost> | undefined
  return () => {
    loading ??= load()
    return loading
  }
}

async function load(): Promise<LanguageOfPost> {
  const { eld } = await import('eld/extrasmall')
  const kept = new LRUCache<string, string>({ max: MAX_KEPT })
  return (name, text) => {
    let code = kept.get(name)
    if (code === undefined) {
      code = languageOfText(text, eld.detect) ?? UNKNOWN
      kept.set(name, code)
    }
    return code || undefined
  }
}
