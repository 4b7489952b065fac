import type { Route } from '../http/route.ts'
import { eventRoutes } from './events/event-routes.ts'
import type { HubContext } from './hub-route.ts'
import { accountRoutes } from './reads/account-routes.ts'
import { messageRoutes } from './reads/message-routes.ts'
import { signerRoutes } from './reads/signer-routes.ts'
import { submitRoutes } from './submit/submit-routes.ts'

/** Every path of the hub's HTTP interface. */
export const hubRoutes = (context: HubContext): Route[] =>
  [submitRoutes, messageRoutes, eventRoutes, accountRoutes, signerRoutes].flatMap((routes) =>
    routes(context),
  )
