import { languageOf } from '../../kernel/base/languages/languages.ts'
import {
  type Face,
  type FaceTexts,
  TRANSLATED,
  type TranslatedField,
  type Translation,
  versionOf,
} from './settings.ts'
import type { ServerText } from './tables/server-texts.ts'

// Translations of the operator's texts. Each is a row of `server_text` whose name ends in its language, such as `rules:de`.

/** Of all translations together, in UTF-8: the rules and what is said about privacy at their longest take 30 kB a language. */
export const MAX_TRANSLATION_BYTES = 512 * 1024

export const rowName = (field: string, language: string): string => `${field}:${language}`

export type FaceTranslation = {
  readonly language: string
  readonly field: TranslatedField
  readonly text: string
  /** It belongs to another text than the present one of the server. Readers then have that. */
  readonly isOutdated: boolean
}

/** The texts that count: what was written, else what the settings say. */
export const textsIn = (rows: readonly ServerText[], settings: FaceTexts): Translation => {
  const written = new Map(rows.map(({ name, value }) => [name, value]))
  return Object.fromEntries(
    TRANSLATED.map((field) => [field, written.get(field) ?? settings[field]]),
  )
}

/** The version of the text that a row translates; null of one that is no translation. */
export function originalOf(name: string, texts: Translation): string | null {
  const [field, language] = name.split(':')
  const text = texts[field as TranslatedField]
  return language === undefined || text === undefined ? null : versionOf(text)
}

export function translationsIn(
  rows: readonly ServerText[],
  settings: FaceTexts,
): FaceTranslation[] {
  const versions = new Map(
    Object.entries(textsIn(rows, settings)).map(([field, text]) => [field, versionOf(text)]),
  )
  return rows.flatMap(({ name, value, original }) => {
    const [field, code] = name.split(':')
    const found = TRANSLATED.find((one) => one === field)
    const language = languageOf(code)?.code
    if (!found || !language) return []
    const isOutdated = original !== versions.get(found)
    return { language, field: found, text: value, isOutdated }
  })
}

/** Those that count, by their languages. */
export function byLanguage(translations: readonly FaceTranslation[]): Face['translations'] {
  const all: Record<string, Record<string, string>> = {}
  for (const { language, field, text, isOutdated } of translations)
    if (!isOutdated) all[language] = { ...all[language], [field]: text }
  return all
}

/** The texts for who reads in a language. */
export type Reading = FaceTexts & {
  /** That of the reader. */
  readonly inLanguage: string
  /** The texts of the server that are read in a translation, as they are in its own language. */
  readonly originals: Translation
}

export const languageOfServer = ({ language }: Pick<FaceTexts, 'language'>): string =>
  language || 'en'

export function readingOf({ translations, ...texts }: Face, inLanguage: string): Reading {
  const known = inLanguage === languageOfServer(texts) ? {} : (translations[inLanguage] ?? {})
  // A text that was taken away has no translation either.
  const read = TRANSLATED.filter((field) => known[field] !== undefined && texts[field] !== '')
  const pick = (from: Translation) => Object.fromEntries(read.map((field) => [field, from[field]!]))
  return { ...texts, ...pick(known), inLanguage, originals: pick(texts) }
}

/** The language of one of its texts. */
export const languageOfText = (reading: Reading, field: TranslatedField): string =>
  reading.originals[field] === undefined ? languageOfServer(reading) : reading.inLanguage
