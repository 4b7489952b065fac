import { locale } from './meta.ts'

const NAMES = new Intl.DisplayNames(locale, { type: 'language' })

/** What the reader calls a language, by its code. */
export const languageName = (code: string): string => NAMES.of(code) ?? code
