import compile from 'icu-minify/compile'
import { type Compiled, partsOf, type Values } from '../../src/kernel/base/languages/format.ts'
import { language } from './meta.ts'
import { words } from './words.ts'

// Texts of the pages. In the code they stand in English; the build (scripts/messages.ts) compiles each one, puts its place in the
// catalogues before it, and calls `tAt` instead of `t`. The language of a page is known before its first module runs: the server
// writes it into the page, with the script of its catalogue. So a text may stand anywhere, also outside functions.

/** In the language of the page, by their places; none in English. */
const { messages } = globalThis as { messages?: Readonly<Record<number, Compiled>> }

/** The parts of a message in the language of the page; what a server calls its posts is known. */
export const messageParts = <T = never>(at: number, english: Compiled, values?: Values<T>) =>
  partsOf<T>(messages?.[at] || english, language, { ...words, ...values } as Values<T>)

export const tAt = (at: number, english: Compiled, values?: Values): string =>
  messageParts(at, english, values).join('')

/** `t('Remove {name}', { name })`; the context says which meaning the English words have, and the build takes it out. */
export const t = (message: string, values?: Values, _context?: string): string =>
  tAt(-1, compile(message) as Compiled, values)
