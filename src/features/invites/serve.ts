import { ACCOUNTS_SETTINGS, type AccountsConfig } from '../../kernel/accounts/settings.ts'
import type { Module } from '../../kernel/module.ts'
import { INVITE_CODES, type Server, type ServerStart } from '../../kernel/server.ts'
import { STAFF_PLACES } from '../moderation/port.ts'
import { inviteCodes, storeFirstInvite, takeRoles } from './invites.ts'
import { inviteRoutes } from './operator-routes.ts'
import { ROLES_BY_INVITE } from './port.ts'
import { memberInviteRoutes } from './routes.ts'

type Config = Pick<AccountsConfig, 'firstInvite' | 'memberInvites'> & {
  readonly publicUrl: string | undefined
}

export const begin = ({ offer }: ServerStart<unknown>): void => {
  offer(INVITE_CODES, inviteCodes)
  offer(ROLES_BY_INVITE, takeRoles)
}

/** Invites to register at the ledger of this server. */
export async function serve(server: Server<Config>): Promise<Module | undefined> {
  const { storage, clock, ledger, live, platform, find } = server
  const { firstInvite, memberInvites, publicUrl: url } = server.config
  if (!ledger) return undefined
  const perMonth = live.use(ACCOUNTS_SETTINGS.settings.memberInvites, memberInvites)
  if (firstInvite !== undefined) await storeFirstInvite(storage, clock.now(), firstInvite)
  const publicUrl = url?.replace(/\/$/, '')
  const invites = { storage, clock, publicUrl, perMonth, actorOf: platform.actorOf }
  return {
    name: 'invites',
    routes: { accounts: memberInviteRoutes(invites) },
    operatorRoutes: inviteRoutes({
      ...{ storage, clock, publicUrl },
      staffPlaces: async (reader) => find(STAFF_PLACES)?.(reader),
    }),
  }
}
