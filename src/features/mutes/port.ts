import type { MutedTerm } from '../../kernel/app-api/ports.ts'
import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** The channels and words that a user mutes. */
export type MutedTerms = (storage: Pick<Reader, 'of'>, fid: number) => Promise<readonly MutedTerm[]>
export const MUTED_TERMS_OF_USERS = port<MutedTerms>('muted terms')
