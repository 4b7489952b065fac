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
export const LANGUAGES: readonly Language[] = [ENGLISH]

/** A language for tests, which is not offered: English that is 40 % longer and looks strange (scripts/messages.ts). */
export const PSEUDO: Language = { code: 'en-XA', name: 'Pseudo', dir: 'ltr' }

const ALL = [...LANGUAGES, PSEUDO]
export const LANGUAGE_CODES: readonly string[] = ALL.map(({ code }) => code)

export const languageOf = (code: string | undefined): Language | undefined =>
  ALL.find((one) => one.code === code)
