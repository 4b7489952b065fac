import type { AppContext } from '../../kernel/app-api/context.ts'
import type { Route } from '../../kernel/http/route.ts'
import { metricsRoutes } from './metrics-route.ts'
import { searchRoutes } from './search-routes.ts'
import { userLookupRoutes } from './user-lookups.ts'

export { createSearch } from './search.ts'
export { castSearch, userSearch } from './search-routes.ts'

export const allSearchRoutes = (context: AppContext): Route[] => [
  ...searchRoutes(context),
  ...metricsRoutes(context),
  ...userLookupRoutes(context),
]
