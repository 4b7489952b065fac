// The catalogues of translations, languages/*.po: `npm run generate -- languages` adds the messages that are new in the code, takes
// those out that no code uses, and leaves the translations as they are.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createItem, createPoFile, type PoItem, parsePo, stringifyPo } from 'pofile-ts'
import { LANGUAGES } from '../src/kernel/base/languages/languages.ts'
import { type Found, keyOf, messagesIn } from './messages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Where texts for people stand. */
export const FOLDERS = ['web', 'src'] as const
/** Translators see where a message stands, without the lines, which change with every commit. */
const MAX_REFERENCES = 3

export const catalogueFile = (code: string): string => join(root, 'languages', `${code}.po`)

export function writeCatalogues(): void {
  const found = Map.groupBy(messagesIn(...FOLDERS), ({ message, context }) =>
    keyOf(message, context),
  )
  for (const { code } of LANGUAGES) {
    if (code !== 'en') writeFileSync(catalogueFile(code), catalogueWith(found, code))
  }
}

/** The catalogue of a language with exactly these messages. */
export function catalogueWith(found: ReadonlyMap<string, Found[]>, code: string): string {
  const file = catalogueFile(code)
  const before = existsSync(file) ? parsePo(readFileSync(file, 'utf8')) : undefined
  const kept = new Map(before?.items.map((item) => [keyOf(item.msgid, item.msgctxt), item]))
  const po = createPoFile()
  po.headers = {
    ...po.headers,
    Language: code,
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Transfer-Encoding': '8bit',
  }
  po.items = [...found].sort(byText).map(([key, places]): PoItem => {
    const { message, context } = places[0]!
    const made = { ...createItem(), msgid: message, msgstr: [''] }
    const item = kept.get(key) ?? (context ? { ...made, msgctxt: context } : made)
    const files = [...new Set(places.map(({ file }) => file))].sort().slice(0, MAX_REFERENCES)
    return { ...item, references: files }
  })
  // Whole lines: translators and reviewers see what has changed.
  return stringifyPo(po, { foldLength: 0 })
}

type Sorted = readonly [string, Found[]]
/** By the English text, so that what has several meanings stands together. */
const byText = ([, [one]]: Sorted, [, [other]]: Sorted): number => {
  const [a, b] = [one!.message, other!.message]
  if (a !== b) return a < b ? -1 : 1
  return (one!.context ?? '') < (other!.context ?? '') ? -1 : 1
}
