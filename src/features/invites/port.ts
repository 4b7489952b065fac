import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { InviteRole } from './tables/invites.ts'

/** What a new account becomes by the invite that it was registered with; in the transaction that makes the account. */
export type TakeRole = (tx: Writer, address: Uint8Array) => Promise<InviteRole | undefined>
export const ROLES_BY_INVITE = port<TakeRole>('roles by invite')
