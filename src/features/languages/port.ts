import type { Say } from '../../kernel/http/translator.ts'
import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/**
 * Speaks to each of these accounts in its own language, else in that of the server. For many accounts it reads as often as for one, and
 * nothing but what it is given: a transaction may ask.
 */
export type SayToAccounts = (
  reader: Pick<Reader, 'of'>,
  fids: readonly number[],
) => Promise<(fid: number) => Say>
export const SAY_TO_ACCOUNTS = port<SayToAccounts>('what is said to accounts')
