import type { IncomingHttpHeaders } from 'node:http'
import { LANGUAGE_COOKIE, VISIT_COOKIE } from '../base/languages/cookies.ts'
import { LANGUAGES, type Language } from '../base/languages/languages.ts'

// The language in which a page is answered: a link that names one, what the member has chosen, what the browser asks for, and
// then the server's.

const cookieOf = (name: string) => new RegExp(`(?:^|; *)${name}=([A-Za-z-]{2,12})(?:;|$)`)
const COOKIES = [VISIT_COOKIE, LANGUAGE_COOKIE].map(cookieOf)
/** Of a header, which a client may make as long as the limit of all headers. */
const MAX_ACCEPTED = 10

export function languageFor(
  headers: IncomingHttpHeaders,
  named: string | undefined,
  ofServer: Language,
  languages: readonly Language[] = LANGUAGES,
): Language {
  const kept = COOKIES.map((cookie) => cookie.exec(headers.cookie ?? '')?.[1])
  for (const wanted of [named, ...kept, ...accepted(headers['accept-language'])]) {
    const found = wanted === undefined ? undefined : fitting(wanted, languages)
    if (found) return found
  }
  return ofServer
}

/** The tags of Accept-Language, the best first. */
const accepted = (header = ''): string[] =>
  header
    .split(',', MAX_ACCEPTED)
    .map((one) => /^\s*([A-Za-z0-9-]+)\s*(?:;\s*q=([\d.]+))?/.exec(one))
    .flatMap((found) => (found ? [{ tag: found[1]!, weight: Number(found[2] ?? 1) }] : []))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

/** The same language; otherwise one of the same name, such as `pt-BR` for `pt-PT`. */
function fitting(tag: string, languages: readonly Language[]): Language | undefined {
  const wanted = tag.toLowerCase()
  const [name] = wanted.split('-')
  return (
    languages.find(({ code }) => code.toLowerCase() === wanted) ??
    // Traditional characters are another script.
    (/^zh-(?:hant|tw|hk|mo)/.test(wanted)
      ? undefined
      : languages.find(({ code }) => code.toLowerCase().split('-')[0] === name))
  )
}
