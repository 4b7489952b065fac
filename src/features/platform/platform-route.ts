import { routesFor } from '../../kernel/http/route-for.ts'
import type { Platform } from './platform.ts'

/** Declare routes of the client platform. */
export const { route: platformRoute, read: platformRead } = routesFor<Platform>()
