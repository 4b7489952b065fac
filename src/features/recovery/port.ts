import { port } from '../../kernel/ports.ts'
import type { Reader, Writer } from '../../kernel/storage/storage.ts'

/** When an account is to be moved to another key, in Unix seconds; nothing where it is not. */
export type MovesAt = (storage: Pick<Reader, 'of'>, fid: number) => Promise<number | undefined>
export const MOVES_AT = port<MovesAt>('recoveries')

/** When a move to this key that began with a link in a mail was asked for, in Unix seconds: the address that it went to stays with the account. */
export type MovedByMail = (
  storage: Pick<Reader, 'of'>,
  move: { readonly fid: number; readonly receiver: Uint8Array },
) => Promise<number | undefined>
export const MOVED_BY_MAIL = port<MovedByMail>('recoveries by mail')

/** Whether there is a recovery service, which the account has named. */
export type CanRecover = (fid: number) => Promise<boolean>
export const CAN_RECOVER = port<CanRecover>('accounts that can be recovered')

/** Tells an account of its moves that wait, each with what stops it, under the lock of its fid: it is reached in another way than before. */
export type TellMoves = (tx: Writer, fid: number) => Promise<void>
export const TELL_MOVES = port<TellMoves>('notices of recoveries')

/** Accounts after a fid, in its order, that are moved after a waiting time. */
export type Moving = (
  storage: Pick<Reader, 'of'>,
  after: number,
  limit: number,
) => Promise<number[]>
export const MOVING = port<Moving>('accounts that are moved')
