import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { SAY_TO_ACCOUNTS } from '../languages/port.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { SIGN_IN } from '../sign-in/port.ts'
import { Archives } from './archives.ts'
import { archiveRoutes } from './routes.ts'

export function serve(server: Server<Pick<StorageConfig, 'network'>>): Module {
  const { config, storage, clock, accounts, verifiers, domains, find, of } = server
  const archives = new Archives({
    ...{ storage, clock, accounts },
    files: find(MEDIA_OF_USERS),
    faces: of(SERVER_FACE),
    sayTo: of(SAY_TO_ACCOUNTS),
    secretOf: async () => (await of(SIGN_IN).keys.current()).secret,
  })
  const owner = {
    ...{ accounts, verify: verifiers.verify, now: () => unixSeconds(clock) },
    domain: domains.idRegistry,
    network: networkName(config.network),
  }
  return { name: 'archives', routes: { accounts: archiveRoutes({ archives, owner }) } }
}
