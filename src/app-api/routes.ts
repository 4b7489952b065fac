import type { Route } from '../http/route.ts'
import { castRoutes } from './cast-routes.ts'
import { channelRoutes } from './channel-routes.ts'
import type { AppContext } from './context.ts'
import { feedRoutes } from './feed-routes.ts'
import { graphRoutes } from './graph-routes.ts'
import { PREFIX } from './kit.ts'
import { notificationRoutes } from './notifications.ts'
import { leftOutRoutes } from './objects/left-out.ts'
import { callsOf } from './screens/calls.ts'
import { screenRoutes } from './screens/routes.ts'
import { searchRoutes } from './search/search-routes.ts'
import { userRoutes } from './user-routes.ts'

/** Every route of the app API. */
export function appRoutes(context: AppContext): Route[] {
  const calls = callRoutes(context)
  return [...calls, ...screenRoutes(context, callsOf(calls, PREFIX))]
}

const callRoutes = (context: AppContext): Route[] => [
  ...userRoutes(context),
  ...castRoutes(context),
  ...feedRoutes(context),
  ...graphRoutes(context),
  ...channelRoutes(context),
  ...notificationRoutes(context),
  ...searchRoutes(context),
  ...leftOutRoutes,
]
