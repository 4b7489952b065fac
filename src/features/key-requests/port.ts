import { bind } from '../../kernel/http/route.ts'
import type { PlatformContext, PlatformFeature } from '../../kernel/platform/context.ts'
import { approvalRoutes } from './approval-routes.ts'
import type { KeyRequestOptions } from './context.ts'
import { type KeyRequests, keyRequestOperations } from './key-requests.ts'
import { operatorKeyRequestRoutes } from './operator-routes.ts'
import { requestRoutes } from './request-routes.ts'
import { signerRoutes } from './signer-routes.ts'

export { followAccounts, reopenRequests } from './account-events.ts'
export type { KeyRequestOptions } from './context.ts'
export type { NewKeyRequest } from './create.ts'
export type { KeyRequests } from './key-requests.ts'
export type { KeyRequestConfig } from './settings.ts'

export function createKeyRequests(
  platform: PlatformContext,
  options: KeyRequestOptions,
): KeyRequests & PlatformFeature {
  const context = { ...platform, ...options }
  const keyRequests = keyRequestOperations(context)
  const needs = { context, keyRequests }
  return {
    ...keyRequests,
    routes: bind(needs, [...requestRoutes, ...approvalRoutes, ...signerRoutes]),
    operatorRoutes: bind(needs, operatorKeyRequestRoutes),
    jobs: [keyRequests.maintenanceJob],
  }
}
