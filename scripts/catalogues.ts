// The catalogues of translations, languages/*.po for messages in the code and languages/help/*.po for the blocks of the help:
// `npm run generate -- languages` adds what is new, takes out what is no more, and leaves the translations as they are.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createItem, createPoFile, type PoItem, parsePo, stringifyPo } from 'pofile-ts'
import { LANGUAGES } from '../src/kernel/base/languages/languages.ts'
import { CHAPTER, helpBlocks, helpCatalogue } from './help.ts'
import { type Found, keyOf, messagesIn } from './messages.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Where texts for people stand. */
export const FOLDERS = ['web', 'src'] as const
/** Translators see where a message stands, without the lines, which change with every commit. */
const MAX_REFERENCES = 3

export const catalogueFile = (code: string): string => join(root, 'languages', `${code}.po`)

export function writeCatalogues(): void {
  const found = [...Map.groupBy(messagesIn(...FOLDERS), keyOfFound)].sort(byText)
  const messages = found.map(([, places]): Wanted => {
    const { message, context } = places[0]!
    const files = [...new Set(places.map(({ file }) => file))].sort().slice(0, MAX_REFERENCES)
    return { message, context, files }
  })
  // In the order of the chapter: a translator reads it from the beginning.
  const blocks = helpBlocks().map((message): Wanted => ({ message, files: [CHAPTER] }))
  for (const { code } of LANGUAGES) {
    if (code === 'en') continue
    writeCatalogue(catalogueFile(code), code, messages)
    writeCatalogue(helpCatalogue(code), code, blocks)
  }
}

type Wanted = {
  readonly message: string
  readonly context?: string | undefined
  readonly files: readonly string[]
}

/** The catalogue of a language with exactly these messages. */
function writeCatalogue(file: string, code: string, wanted: readonly Wanted[]): void {
  const before = existsSync(file) ? parsePo(readFileSync(file, 'utf8')) : undefined
  const kept = new Map(before?.items.map((item) => [keyOf(item.msgid, item.msgctxt), item]))
  const po = createPoFile()
  po.headers = {
    ...po.headers,
    Language: code,
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Transfer-Encoding': '8bit',
  }
  po.items = wanted.map(({ message, context, files }): PoItem => {
    const made = { ...createItem(), msgid: message, msgstr: [''] }
    const item =
      kept.get(keyOf(message, context)) ?? (context ? { ...made, msgctxt: context } : made)
    return { ...item, references: [...files] }
  })
  mkdirSync(dirname(file), { recursive: true })
  // Whole lines: translators and reviewers see what has changed.
  writeFileSync(file, stringifyPo(po, { foldLength: 0 }))
}

const keyOfFound = ({ message, context }: Found): string => keyOf(message, context)

type Sorted = readonly [string, Found[]]
/** By the English text, so that what has several meanings stands together. */
const byText = ([, [one]]: Sorted, [, [other]]: Sorted): number => {
  const [a, b] = [one!.message, other!.message]
  if (a !== b) return a < b ? -1 : 1
  return (one!.context ?? '') < (other!.context ?? '') ? -1 : 1
}
