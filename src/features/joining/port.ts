import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Terms } from './consents.ts'

/** What an account has to agree to before it goes on; undefined where it has. */
export type AskedConsent = (storage: Pick<Reader, 'of'>, fid: number) => Promise<Terms | undefined>
/** How many people wait to be let in. */
export type JoinsWaiting = (storage: Pick<Reader, 'of'>) => Promise<number>
export const JOINS_WAITING = port<JoinsWaiting>('requests to join')

export const ASKED_CONSENT = port<AskedConsent>('consent to the rules')
