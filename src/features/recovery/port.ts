import { port } from '../../kernel/ports.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** When an account is to be moved to another key, in Unix seconds; nothing where it is not. */
export type MovesAt = (storage: Pick<Reader, 'of'>, fid: number) => Promise<number | undefined>
export const MOVES_AT = port<MovesAt>('recoveries')

/** Whether a move to this key began with a link in a mail: the address that it went to stays with the account. */
export type MovedByMail = (
  storage: Pick<Reader, 'of'>,
  move: { readonly fid: number; readonly receiver: Uint8Array },
) => Promise<boolean>
export const MOVED_BY_MAIL = port<MovedByMail>('recoveries by mail')

/** Whether there is a recovery service, which the account has named. */
export type CanRecover = (fid: number) => Promise<boolean>
export const CAN_RECOVER = port<CanRecover>('accounts that can be recovered')
