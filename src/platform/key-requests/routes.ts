import type { Route } from '../../http/route.ts'
import type { PlatformContext } from '../context.ts'
import { approvalRoutes } from './approval-routes.ts'
import type { KeyRequests } from './key-requests.ts'
import { requestRoutes } from './request-routes.ts'
import { signerRoutes } from './signer-routes.ts'

/** How an app obtains a key from a user, and how the user takes it back. */
export const keyRequestRoutes = (context: PlatformContext, requests: KeyRequests): Route[] => [
  ...requestRoutes(context, requests),
  ...approvalRoutes(context),
  ...signerRoutes(context),
]
