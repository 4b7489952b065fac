import { unixSeconds } from '../../kernel/base/clock.ts'
import { bind } from '../../kernel/http/route.ts'
import { keyMessagesOf } from '../../kernel/hub/submit/submit-messages.ts'
import type { Module } from '../../kernel/module.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import { networkName } from '../../kernel/protocol/network-name.ts'
import type { Server } from '../../kernel/server.ts'
import type { StorageConfig } from '../../kernel/storage/settings.ts'
import { BADGES } from '../badges/port.ts'
import { failApproved, followAccounts, reopenRequests } from './account-events.ts'
import { approvalRoutes } from './approval-routes.ts'
import { keyRequestOperations } from './key-requests.ts'
import { operatorKeyRequestRoutes } from './operator-routes.ts'
import { KEY_REQUESTS_OF_APPS } from './port.ts'
import { requestRoutes } from './request-routes.ts'
import type { KeyRequestConfig } from './settings.ts'
import { signerRoutes } from './signer-routes.ts'

type Config = KeyRequestConfig & Pick<StorageConfig, 'network'>

export function serve(server: Server<Config>): Module {
  const { config, clock, hub, find, offer } = server
  const { domains, keyRequestDomains, keyCalls, signingNetwork, verifiers } = server
  const context = {
    ...server.platform,
    settings: config,
    ...{ domains, keyRequestDomains, keyCalls },
    verifyAsContracts: verifiers.verifyAsContracts,
    keyMessages: keyMessagesOf(hub, config.network),
    accountsHome: { ...signingNetwork, network: networkName(config.network) },
    hasBadge: async (fid: number) => (await find(BADGES)?.current())?.fids.includes(fid) ?? false,
  }
  const keyRequests = keyRequestOperations(context)
  offer(KEY_REQUESTS_OF_APPS, { ...keyRequests, failApproved })
  const needs = { context, keyRequests }
  const routes = [...requestRoutes, ...approvalRoutes, ...signerRoutes]
  return {
    name: 'key requests',
    routes: { platform: limitedTogether(bind(needs, routes)) },
    operatorRoutes: bind(needs, operatorKeyRequestRoutes),
    jobs: [keyRequests.maintenanceJob],
    onMerged: (tx, _, events) => followAccounts(tx, events, unixSeconds(clock)),
    onReorg: (tx, events) => reopenRequests(tx, events, unixSeconds(clock)),
    endRequests: () => keyRequests.streams.close(),
  }
}
