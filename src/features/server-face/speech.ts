import type { IncomingHttpHeaders } from 'node:http'
import { ENGLISH, type Language, languageOf } from '../../kernel/base/languages/languages.ts'
import { languageFor } from '../../kernel/http/language.ts'
import { type Say, translator, wordsOf } from '../../kernel/http/translator.ts'
import { vocabularyOf } from '../../kernel/protocol/vocabulary.ts'
import type { FaceTexts } from './settings.ts'
import { languageOfServer } from './translations.ts'

// What the server says, with its own words for posts.

type Words = Pick<FaceTexts, 'language' | 'posts'>

/** Says it in a language. */
export const sayIn = (language: Language, { posts }: Pick<Words, 'posts'>): Say =>
  translator(language, wordsOf(vocabularyOf(posts)))

/** Says it to somebody whose language is not known. */
export const sayToAnybody = (words: Words): Say =>
  sayIn(languageOf(languageOfServer(words)) ?? ENGLISH, words)

/** Says it to whoever asks, as a page is answered: `named` is that of the address. */
export const sayToClient = (
  { headers }: { readonly headers: IncomingHttpHeaders },
  named: string | undefined,
  words: Words,
): Say => sayIn(languageFor(headers, named, sayToAnybody(words).language), words)
