import type { Route } from '../../../kernel/http/route.ts'
import type { AppContext } from '../../app-api/context.ts'
import type { WritesContext } from '../../app-api/writes/context.ts'
import { catalog, relevantFrames, searchFrames } from './catalogue-routes.ts'
import { hostEvent, hostState, postHostEvent } from './host-routes.ts'
import { listCampaigns, listTokens, sendNotifications } from './notification-routes.ts'

/** The catalogue of mini apps. */
export const miniAppCatalogueRoutes = (context: AppContext): Route[] =>
  [catalog, searchFrames, relevantFrames].map((of) => of(context))

/** Notifications of mini apps, and what clients that run them tell them. */
export const miniAppRoutes = (context: WritesContext): Route[] =>
  [sendNotifications, listCampaigns, listTokens, hostEvent, postHostEvent, hostState].map((of) =>
    of(context),
  )
