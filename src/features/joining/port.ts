import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'
import type { Terms } from './consents.ts'

/** What an account has to agree to before it goes on; undefined where it has. */
export type AskedConsent = (storage: Pick<Reader, 'of'>, fid: number) => Promise<Terms | undefined>
export const ASKED_CONSENT = port<AskedConsent>('consent to the rules')
