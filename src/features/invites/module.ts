import type { AccountsConfig } from '../../kernel/accounts/settings.ts'
import type { Module, ModuleContext } from '../../kernel/module.ts'
import { storeFirstInvite } from './invites.ts'
import { inviteRoutes } from './operator-routes.ts'
import { type MemberInvites, memberInviteRoutes } from './routes.ts'

type Config = Pick<AccountsConfig, 'firstInvite' | 'memberInvites'> & {
  readonly publicUrl: string | undefined
}

/** Invites to register at the ledger of this server. */
export async function createInviteModule(
  { storage, clock }: ModuleContext,
  { firstInvite, memberInvites: perMonth, publicUrl: url }: Config,
  actorOf: MemberInvites['actorOf'],
): Promise<Module> {
  if (firstInvite !== undefined) await storeFirstInvite(storage, clock.now(), firstInvite)
  const invites = { storage, clock, publicUrl: url?.replace(/\/$/, ''), perMonth, actorOf }
  return {
    name: 'invites',
    routes: { accounts: memberInviteRoutes(invites) },
    operatorRoutes: inviteRoutes(invites),
  }
}
