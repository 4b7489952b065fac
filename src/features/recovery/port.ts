import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** When an account is to be moved to another key, in Unix seconds; nothing where it is not. */
export type MovesAt = (storage: Pick<Reader, 'of'>, fid: number) => Promise<number | undefined>
export const MOVES_AT = port<MovesAt>('recoveries')
