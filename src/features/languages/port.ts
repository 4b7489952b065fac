import type { Language } from '../../kernel/base/languages/languages.ts'
import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** The language in which an account is written to: its own, else that of the server. */
export type AccountLanguages = (storage: Pick<Reader, 'of'>, fid: number) => Promise<Language>
export const LANGUAGES_OF_ACCOUNTS = port<AccountLanguages>('languages of accounts')
