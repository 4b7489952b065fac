import { ENGLISH, LANGUAGES, type Language, PSEUDO } from '../../base/languages/languages.ts'
import { languageFor } from '../language.ts'
import { escapeMarkup } from '../markup.ts'
import type { RequestInfo } from '../route.ts'
import { translator } from '../translator.ts'
import type { StaticFile } from './static-files.ts'

// A page in a language: `lang`, `dir`, and the script of its texts, which runs before the page's own.

/** Scripts with the texts: of what a page shows first, and of what it loads later. */
type Scripts = { readonly first: string; readonly later: string }

/** What is different from a page to one in another language; it depends on these headers. */
export const VARY_LANGUAGE = 'accept-language, cookie'

/** Where the files of a page lie, and whether it loads the texts of its parts with them: the web client alone. */
type Place = { readonly base: string; readonly loadsLater?: boolean }

/** The languages in which a build has its pages: English, which is in the scripts themselves, and those with a catalogue. */
export function pageLanguages(files: ReadonlyMap<string, StaticFile>, place: Place) {
  const file = files.get('catalogues.json')
  const scripts: Record<string, Scripts> = file
    ? JSON.parse(Buffer.from(file.bytes).toString())
    : {}
  const languages = [...LANGUAGES, PSEUDO].filter(
    (one) => one === ENGLISH || scripts[one.code] !== undefined,
  )
  return {
    /** What is made of a page in each of them. */
    each: <T>(make: (inLanguage: (html: string) => string, language: Language) => T) =>
      new Map(
        languages.map((language): [Language, T] => [
          language,
          make((html) => withLanguage(html, language, scripts[language.code], place), language),
        ]),
      ),
    /** That of a request: `named` in its address, else what its browser has or wants, else what the server speaks. */
    of: ({ headers }: Pick<RequestInfo, 'headers'>, named: string | undefined, ofServer: string) =>
      languageFor(
        headers,
        named,
        languages.find(({ code }) => code === ofServer) ?? ENGLISH,
        languages,
      ),
  }
}

function withLanguage(
  html: string,
  language: Language,
  scripts: Scripts | undefined,
  { base, loadsLater = false }: Place,
): string {
  const { code, dir } = language
  const say = translator(language)
  const script = (file: string) => `<script src="${base}${file}" defer></script>\n    `
  const texts = !scripts
    ? ''
    : loadsLater
      ? `<meta name="rookery-texts" content="${base}${scripts.later}">\n    ${script(scripts.first)}`
      : script(scripts.first) + script(scripts.later)
  const withoutScripts = say('This page needs JavaScript. Programs find every interface at /docs.')
  return (
    html
      .replace(/(<html[^>]*) lang="en"/, `$1 lang="${code}" dir="${dir}"`)
      .replace(/(<noscript>)[^<]*/, (_, start) => start + escapeMarkup(withoutScripts))
      // Browsers ask for it without cookies.
      .replace('/manifest.webmanifest"', `/manifest.webmanifest?lang=${code}"`)
      // Deferred scripts and modules run in the order of the page.
      .replace('<script type="module"', (module) => texts + module)
  )
}
