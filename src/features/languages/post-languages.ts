import { LRUCache } from 'lru-cache'
import type { Logger } from '../../kernel/http/logger.ts'
import { type Detect, languageOfText } from './language-of-text.ts'
import type { LanguageOfPost } from './port.ts'

/** About 2 MB. A code is kept under the hash of its post, which no other text has. */
const MAX_KEPT = 20_000
const UNKNOWN = ''

type Terms = {
  readonly log: Pick<Logger, 'warn'>
  readonly detector?: () => Promise<Detect>
}

/**
 * Tells the languages of posts when they are answered. The detector takes 29 MB and a fifth of a second of processor time to load, which
 * the first answer with posts waits for. Where it cannot be loaded, posts have no language.
 */
export function postLanguages({
  log,
  detector = async () => (await import('eld/extrasmall')).eld.detect,
}: Terms): () => Promise<LanguageOfPost> {
  let loading: Promise<LanguageOfPost> | undefined
  return () => {
    loading ??= detector().then(remembering, (error: unknown) => {
      log.warn({ err: error }, 'languages of posts cannot be told')
      return () => undefined
    })
    return loading
  }
}

function remembering(detect: Detect): LanguageOfPost {
  const kept = new LRUCache<string, string>({ max: MAX_KEPT })
  return (name, text) => {
    let code = kept.get(name)
    if (code === undefined) {
      code = languageOfText(text, detect) ?? UNKNOWN
      kept.set(name, code)
    }
    return code || undefined
  }
}
