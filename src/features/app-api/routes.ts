import type { AppContext } from '../../kernel/app-api/context.ts'
import type { Route } from '../../kernel/http/route.ts'
import { castRoutes } from './cast-routes.ts'
import { channelModerationRoutes } from './channels/channel-moderation-routes.ts'
import { channelRoutes } from './channels/channel-routes.ts'
import { feedRoutes } from './feed-routes.ts'
import { graphRoutes } from './graph-routes.ts'
import { interactionRoutes } from './interactions.ts'
import { notificationRoutes } from './notifications.ts'
import { screenRoutes } from './screens/routes.ts'
import { unsupportedRoutes } from './unsupported-routes.ts'
import { userRoutes } from './user-routes.ts'

/** Every route of the app API that reads. */
export const appRoutes = (context: AppContext): Route[] => [
  ...userRoutes(context),
  ...castRoutes(context),
  ...feedRoutes(context),
  ...graphRoutes(context),
  ...channelRoutes(context),
  ...channelModerationRoutes(context),
  ...notificationRoutes(context),
  ...interactionRoutes(context),
  ...unsupportedRoutes,
  ...screenRoutes(context),
]
