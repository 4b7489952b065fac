import type { HttpConfig } from '../../kernel/http/settings.ts'
import { limitFor, type Module } from '../../kernel/module.ts'
import { SECURITY_HEADERS } from '../../kernel/platform/headers.ts'
import { limitedTogether } from '../../kernel/platform/limited-together.ts'
import type { Server } from '../../kernel/server.ts'
import { SERVER_FACE } from '../server-face/port.ts'
import { health } from './health.ts'
import { pageRoutes } from './pages/routes.ts'
import type { PlatformConfig } from './settings.ts'

/** The deployed platform counts requests in windows of this length. */
const WINDOW_SECONDS = 10
/** Requests in a window from one address. Processor time is bounded by the budgets of all interfaces. */
const MAX_REQUESTS = 2_500

/** The interface of the client platform, to which features add their routes, and its pages. */
export const serve = ({
  config,
  mode,
  platform,
  find,
}: Server<PlatformConfig & HttpConfig>): Module => ({
  name: 'platform',
  serves: {
    name: 'platform',
    title: 'Rookery client platform',
    description: 'Channels, follows, badges, actions, blocks, and keys for apps.',
    errors: 'platform',
    host: config.host,
    port: config.platformPort,
    checkToken: (request) => platform.callerOf(request, { accept: ['app_key', 'custody'] }),
    limits: { all: { ...limitFor(mode, MAX_REQUESTS, WINDOW_SECONDS), announced: true } },
    headers: SECURITY_HEADERS,
  },
  routes: {
    platform: limitedTogether([health, ...pageRoutes(async () => find(SERVER_FACE)?.read())]),
  },
})
