import type { AppContext } from '../../../kernel/app-api/context.ts'
import { bind, type Route } from '../../../kernel/http/route.ts'
import { catalog, relevantFrames, searchFrames } from './catalogue-routes.ts'
import type { MiniAppContext } from './context.ts'
import { hostEvent, hostState, postHostEvent } from './host-routes.ts'
import { listCampaigns, listTokens, sendNotifications } from './notification-routes.ts'

/** The catalogue of mini apps. */
export const miniAppCatalogueRoutes = (context: AppContext): Route[] =>
  bind(context, [catalog, searchFrames, relevantFrames])

/** Notifications of mini apps, and what clients that run them tell them. */
export const miniAppRoutes = (context: MiniAppContext): Route[] =>
  bind(context, [sendNotifications, listCampaigns, listTokens, hostEvent, postHostEvent, hostState])
