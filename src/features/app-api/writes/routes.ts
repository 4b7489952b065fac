import type { Route } from '../../../kernel/http/route.ts'
import { bind } from '../../../kernel/http/route.ts'
import { miniAppRoutes } from '../../mini-apps/app-api/routes.ts'
import { muteRoutes } from '../../mutes/port.ts'
import { pushRoutes } from '../../push/port.ts'
import { registrationRoutes } from '../../registration/port.ts'
import { signingRoutes } from '../../signers/port.ts'
import { webhookRoutes } from '../../webhooks/port.ts'
import { appOwnRoutes } from './app-routes.ts'
import { castRoutes } from './cast-routes.ts'
import { channelReportRoute } from './channel-report-route.ts'
import type { WritesContext } from './context.ts'
import { crawlRoute } from './crawl-route.ts'
import { graphRoutes } from './graph-routes.ts'
import { mediaRoutes } from './media-routes.ts'
import { messageRoute } from './message-route.ts'
import { platformRoutes } from './platform-routes.ts'
import { profileRoutes } from './profile-routes.ts'

/** Every route of the app API that writes, and the signers and webhooks of apps. */
export const writeRoutes = (context: WritesContext): Route[] => [
  ...castRoutes(context),
  ...graphRoutes(context),
  ...profileRoutes(context),
  ...platformRoutes(context),
  ...appOwnRoutes(context),
  ...muteRoutes(context),
  ...bind(context, [channelReportRoute]),
  ...pushRoutes(context),
  ...bind(context, [messageRoute]),
  ...mediaRoutes(context),
  ...signingRoutes(context),
  ...registrationRoutes(context),
  ...bind(context, [crawlRoute]),
  ...webhookRoutes(context),
  ...miniAppRoutes(context),
]
