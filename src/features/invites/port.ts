import { port } from '../../kernel/ports.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import type { InviteRole } from './tables/invites.ts'

/**
 * What new accounts become by the invites that they were registered with, in the order of their addresses; in the transaction
 * that makes the accounts.
 */
export type TakeRoles = (
  tx: Writer,
  addresses: readonly Uint8Array[],
) => Promise<readonly (InviteRole | undefined)[]>
export const ROLES_BY_INVITE = port<TakeRoles>('roles by invite')
