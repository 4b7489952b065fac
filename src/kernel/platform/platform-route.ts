import { routesFor } from '../http/route-for.ts'
import type { PlatformContext } from './context.ts'

/** What the routes of every feature of the client platform need; some need more. */
export type OnPlatform = { readonly context: PlatformContext }

/** Declare routes that need no more. */
export const { route: platformRoute, read: platformRead } = routesFor<OnPlatform>()
