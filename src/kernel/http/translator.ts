import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import compile from 'icu-minify/compile'
import { type Compiled, partsOf, type Values } from '../base/languages/format.ts'
import type { Language } from '../base/languages/languages.ts'
import { capital, type Vocabulary } from '../protocol/vocabulary.ts'
import { BUILT_WEB } from './files/static-files.ts'

// What the server itself says to people, in their language: `say('{who} followed you', { who })`. The build finds these messages, as
// it finds those of the pages (scripts/messages.ts), and writes their translations beside the pages.

declare const SAID: unique symbol
/** A text that the server says in somebody's language: no literal is one. */
export type Said = string & { readonly [SAID]: true }

/** A message in a language. A value is never read as a part of it. */
export type Say = ((message: string, values?: Values) => Said) & { readonly language: Language }

/** The translations of a language by English message, which is read when somebody needs it. */
const kept = new Map<string, Readonly<Record<string, string>>>()
function textsOf(code: string): Readonly<Record<string, string>> {
  const file = join(BUILT_WEB, 'texts', `${code}.json`)
  const texts = kept.get(code) ?? (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})
  kept.set(code, texts)
  return texts
}

/** Messages stand in the code, so there are no more than it has in all languages. */
const compiled = new Map<string, Compiled>()
function compiledOf(text: string): Compiled {
  const found = compiled.get(text) ?? (compile(text) as Compiled)
  compiled.set(text, found)
  return found
}

/** What a server calls posts, for English messages. */
export const wordsOf = (vocabulary: Vocabulary): Values =>
  Object.fromEntries(
    Object.entries(vocabulary).flatMap(([name, word]) => [
      [name, word],
      [capital(name), capital(word)],
    ]),
  )

export function translator(language: Language, words: Values = {}): Say {
  const { code } = language
  const texts = textsOf(code)
  const say = (message: string, values?: Values) => {
    const text = (Object.hasOwn(texts, message) && texts[message]) || message
    const given = Object.entries(values ?? {}).map(([name, value]) => [name, contained(value)])
    const all = { ...words, ...Object.fromEntries(given) }
    return partsOf(compiledOf(text), code, all).join('') as Said
  }
  return Object.assign(say, { language })
}

/** Characters with which a value would turn what stands behind it. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g
const contained = (value: Values[string]) =>
  typeof value === 'string' ? value.replace(TURNING, '') : value

/** With which `Intl` writes dates in a language. English is that of Britain, as on the pages. */
export const localeOf = ({ code }: Language): string => (code === 'en' ? 'en-GB' : code)
