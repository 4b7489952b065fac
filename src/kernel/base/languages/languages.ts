// The languages of the pages. Another one is a line here and a catalogue in languages/: docs/translating.md.

export type Language = {
  /** As in `lang`, and the name of its catalogue. */
  readonly code: string
  /** In itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
}

export const ENGLISH: Language = { code: 'en', name: 'English', dir: 'ltr' }

/** What people choose from. */
export const LANGUAGES: readonly Language[] = [
  ENGLISH,
  { code: 'de', name: 'Deutsch', dir: 'ltr' },
  { code: 'fr', name: 'Français', dir: 'ltr' },
  { code: 'es', name: 'Español', dir: 'ltr' },
  { code: 'pt-BR', name: 'Português (Brasil)', dir: 'ltr' },
  { code: 'it', name: 'Italiano', dir: 'ltr' },
  { code: 'pl', name: 'Polski', dir: 'ltr' },
  { code: 'uk', name: 'Українська', dir: 'ltr' },
  { code: 'tr', name: 'Türkçe', dir: 'ltr' },
  { code: 'ar', name: 'العربية', dir: 'rtl' },
  { code: 'fa', name: 'فارسی', dir: 'rtl' },
  { code: 'hi', name: 'हिन्दी', dir: 'ltr' },
  { code: 'id', name: 'Bahasa Indonesia', dir: 'ltr' },
  { code: 'ja', name: '日本語', dir: 'ltr' },
  { code: 'ko', name: '한국어', dir: 'ltr' },
  { code: 'zh-CN', name: '简体中文', dir: 'ltr' },
]

/** A language for tests, which is not offered: English that is 40 % longer and looks strange (scripts/messages.ts). */
export const PSEUDO: Language = { code: 'en-XA', name: 'Pseudo', dir: 'ltr' }

const ALL = [...LANGUAGES, PSEUDO]
export const LANGUAGE_CODES: readonly string[] = ALL.map(({ code }) => code)

export const languageOf = (code: string | undefined): Language | undefined =>
  ALL.find((one) => one.code === code)
