import type { Route } from '../http/route.ts'
import type { AppContext } from './context.ts'
import { leftOutRoutes } from './left-out.ts'

/** Every route of the app API. */
export const appRoutes = (_context: AppContext): Route[] => [...leftOutRoutes]
