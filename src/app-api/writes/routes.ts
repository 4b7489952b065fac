import type { Route } from '../../http/route.ts'
import { appOwnRoutes } from './app-routes.ts'
import { castRoutes } from './cast-routes.ts'
import type { WritesContext } from './context.ts'
import { graphRoutes } from './graph-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { platformRoutes } from './platform-routes.ts'
import { profileRoutes } from './profile-routes.ts'

/** Every call that writes for a user or an app. */
export const writeRoutes = (context: WritesContext): Route[] => [
  ...castRoutes(context),
  ...graphRoutes(context),
  ...profileRoutes(context),
  ...platformRoutes(context),
  ...appOwnRoutes(context),
  ...messageRoutes(context),
]
