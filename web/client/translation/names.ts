import { locale } from '../../shared/meta.ts'

const NAMES = new Intl.DisplayNames([locale], { type: 'language' })

/** The name of a language in that of the page. */
export const languageName = (code: string): string => NAMES.of(code) ?? code
