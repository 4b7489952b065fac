import Type from 'typebox'
import type { Route, RouteFor } from '../../kernel/http/route.ts'
import { operatorActionRoutes } from '../actions/operator-routes.ts'
import { actionRoutes } from '../actions/routes.ts'
import { addressRoutes } from '../addresses/routes.ts'
import { badgeRoutes, operatorBadgeRoutes } from '../badges/routes.ts'
import { blockRoutes, operatorBlockRoutes } from '../blocks/routes.ts'
import { operatorChannelRoutes } from '../channels/operator-routes.ts'
import { channelReadRoutes } from '../channels/read-routes.ts'
import { channelWriteRoutes } from '../channels/write-routes.ts'
import { approvalRoutes } from '../key-requests/approval-routes.ts'
import { operatorKeyRequestRoutes } from '../key-requests/operator-routes.ts'
import { requestRoutes } from '../key-requests/request-routes.ts'
import { signerRoutes } from '../key-requests/signer-routes.ts'
import { miniAppDeliveryRoutes } from '../mini-apps/delivery-routes.ts'
import { operatorMiniAppRoutes } from '../mini-apps/operator-routes.ts'
import { miniAppReadRoutes } from '../mini-apps/read-routes.ts'
import { miniAppWriteRoutes } from '../mini-apps/write-routes.ts'
import { operatorStarterPackRoutes } from '../starter-packs/operator-routes.ts'
import { starterPackRoutes } from '../starter-packs/routes.ts'
import { pageRoutes } from './pages/routes.ts'
import type { Platform } from './platform.ts'
import { platformRead } from './platform-route.ts'
import { Result } from './schemas.ts'

const HEALTHY = { result: { status: 'ok' } } as const

const health = platformRead(
  {
    path: '/healthcheck',
    summary: 'Whether the server answers',
    description: 'For load balancers; it does not look at the database.',
    tags: [{ name: 'Server', description: 'The state of this server.' }],
    reply: Result(Type.Object({ status: Type.Literal('ok') })),
  },
  async () => HEALTHY,
)

const ROUTES: readonly RouteFor<Platform>[] = [
  ...channelReadRoutes,
  ...channelWriteRoutes,
  ...actionRoutes,
  ...miniAppReadRoutes,
  ...miniAppWriteRoutes,
  ...miniAppDeliveryRoutes,
  ...blockRoutes,
  ...addressRoutes,
  ...starterPackRoutes,
  ...badgeRoutes,
  ...requestRoutes,
  ...approvalRoutes,
  ...signerRoutes,
  health,
]

const OPERATOR_ROUTES: readonly RouteFor<Platform>[] = [
  ...operatorChannelRoutes,
  ...operatorActionRoutes,
  ...operatorMiniAppRoutes,
  ...operatorBlockRoutes,
  ...operatorStarterPackRoutes,
  ...operatorBadgeRoutes,
  ...operatorKeyRequestRoutes,
]

/** The routes of the client platform; one rate limit covers all of them. */
export const platformRoutes = (platform: Platform): Route[] =>
  [...ROUTES.map((of) => of(platform)), ...pageRoutes()].map((declared) => ({
    ...declared,
    spec: { limit: 'all', ...declared.spec },
  }))

/** The operator's routes of the platform, for the operations interface. */
export const operatorPlatformRoutes = (platform: Platform): Route[] =>
  OPERATOR_ROUTES.map((of) => of(platform))
