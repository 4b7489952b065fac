import Type from 'typebox'
import { type Route, read } from '../http/route.ts'
import { operatorActionRoutes } from './actions/operator-routes.ts'
import { actionRoutes } from './actions/routes.ts'
import { badgeRoutes, operatorBadgeRoutes } from './badges/routes.ts'
import { blockRoutes, operatorBlockRoutes } from './blocks/routes.ts'
import { channelRoutes, operatorChannelRoutes } from './channels/routes.ts'
import { operatorKeyRequestRoutes } from './key-requests/operator-routes.ts'
import { keyRequestRoutes } from './key-requests/routes.ts'
import { pageRoutes } from './pages/routes.ts'
import type { Platform } from './platform.ts'
import { Result } from './schemas.ts'

/** The routes of the client platform; one rate limit covers all of them. */
export const platformRoutes = ({ context, channels, badges, keyRequests }: Platform): Route[] =>
  [
    ...channelRoutes(channels, context),
    ...actionRoutes(context),
    ...blockRoutes(context),
    ...badgeRoutes(badges),
    ...keyRequestRoutes(context, keyRequests),
    ...pageRoutes(),
    ...serverRoutes(),
  ].map((declared) => ({ ...declared, spec: { limit: 'all', ...declared.spec } }))

/** The operator's routes of the platform, for the operations interface. */
export const operatorPlatformRoutes = ({
  context,
  channels,
  catalogue,
  badges,
}: Platform): Route[] => [
  ...operatorChannelRoutes(channels, context.storage),
  ...operatorActionRoutes(context, catalogue),
  ...operatorBlockRoutes(context),
  ...operatorBadgeRoutes(badges),
  ...operatorKeyRequestRoutes(context),
]

function serverRoutes(): Route[] {
  return [
    read(
      {
        path: '/healthcheck',
        summary: 'Whether the server answers',
        description: 'For load balancers; it does not look at the database.',
        tags: [{ name: 'Server', description: 'The state of this server.' }],
        reply: Result(Type.Object({ status: Type.Literal('ok') })),
      },
      async () => HEALTHY,
    ),
  ]
}

const HEALTHY = { result: { status: 'ok' } } as const
