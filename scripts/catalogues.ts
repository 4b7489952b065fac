// The catalogues of translations, languages/*.po: `npm run generate -- languages` adds the messages that are new in the code, takes
// those out that no code uses, and leaves the translations as they are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createItem, createPoFile, type PoItem, parsePo, stringifyPo } from 'pofile-ts'
import { LANGUAGES } from '../src/kernel/base/languages/languages.ts'
import { type Found, messagesIn } from './messages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Where texts for people stand. */
export const FOLDERS = ['web', 'src'] as const
/** Translators see where a message stands, without the lines, which change with every commit. */
const MAX_REFERENCES = 3

export const catalogueFile = (code: string): string => join(root, 'languages', `${code}.po`)

export function writeCatalogues(): void {
  const found = Map.groupBy(messagesIn(...FOLDERS), ({ message }) => message)
  for (const { code } of LANGUAGES) {
    if (code !== 'en') writeFileSync(catalogueFile(code), catalogueWith(found, code))
  }
}

/** The catalogue of a language with exactly these messages. */
export function catalogueWith(found: ReadonlyMap<string, Found[]>, code: string): string {
  const file = catalogueFile(code)
  const before = existsSync(file) ? parsePo(readFileSync(file, 'utf8')) : undefined
  const kept = new Map(before?.items.map((item) => [item.msgid, item]))
  const po = createPoFile()
  po.headers = {
    ...po.headers,
    Language: code,
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Transfer-Encoding': '8bit',
  }
  po.items = [...found].sort(byText).map(([message, places]): PoItem => {
    const item = kept.get(message) ?? { ...createItem(), msgid: message, msgstr: [''] }
    const files = [...new Set(places.map(({ file }) => file))].sort().slice(0, MAX_REFERENCES)
    return { ...item, references: files }
  })
  // Whole lines: translators and reviewers see what has changed.
  return stringifyPo(po, { foldLength: 0 })
}

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : 1
