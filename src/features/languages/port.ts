import type { Say } from '../../kernel/http/translator.ts'
import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

export { READABLE } from './readable.ts'

/**
 * Gives the `say` of each of these accounts, in the language that it has chosen or else in that of the server. It makes as many queries
 * for many accounts as for one, all through the given reader, so it can be called within a transaction.
 */
export type SayToAccounts = (
  reader: Pick<Reader, 'of'>,
  fids: readonly number[],
) => Promise<(fid: number) => Say>
export const SAY_TO_ACCOUNTS = port<SayToAccounts>('what is said to accounts')

/** The language of a text, by the name of its post, under which the answer is kept; undefined where it cannot be told. */
export type LanguageOfPost = (name: string, text: string) => string | undefined
export const LANGUAGES_OF_POSTS = port<() => Promise<LanguageOfPost>>('languages of posts')
