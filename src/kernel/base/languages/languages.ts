// The languages of the pages. Another one is a line here and a catalogue in languages/: docs/translating.md.

export type Language = {
  /** As in `lang`, and the name of its catalogue. */
  readonly code: string
  /** In itself. */
  readonly name: string
  readonly dir: 'ltr' | 'rtl'
}

export const LANGUAGES: readonly Language[] = [{ code: 'en', name: 'English', dir: 'ltr' }]
