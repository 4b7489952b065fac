import { NothingReply } from '../../kernel/app-api/schemas.ts'
import { type Method, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

// Calls of deployed APIs that this server does not support. They are refused with an explanation, not as unknown routes.

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Each path with the unsupported methods; all methods when none are named. `*` stands for any ending. */
const UNSUPPORTED: readonly (readonly [path: string, ...methods: Method[]])[] = [
  ['/v2/farcaster/cast/conversation/summary'],
  ['/v2/farcaster/feed/topic'],
  ['/v2/farcaster/topic/*'],
  ['/v2/farcaster/user/subscri*'],
  ['/v2/farcaster/user/balance'],
  ['/v2/farcaster/storage/buy'],
  ['/v2/farcaster/login/authorize'],
  ['/v2/farcaster/auth_address/*'],
  ['/v2/farcaster/action'],
  ['/v2/farcaster/frame/transaction/*'],
  ['/v2/farcaster/fungible*'],
  ['/v2/farcaster/nft/*'],
  ['/v2/onchain*'],
  ['/v2/stp*'],
  ['/v2/studio*'],
  ['/v2/signature*'],
  ['/v2/fungible*'],
  ['/v2/portal*'],
  ['/portal*'],
]

/** Refuses unsupported calls with the code NotSupported. */
export const unsupportedRoutes: readonly Route[] = UNSUPPORTED.flatMap(([path, ...methods]) =>
  (methods.length > 0 ? methods : METHODS).map((method) =>
    route(`${method} ${path}`, {
      callers: 'app',
      undocumented: true,
      summary: 'A call that this server does not have',
      reply: NothingReply,
      errors: [],
      cost: { cpu: 'small' },
      limit: 'read',
      handler: () => {
        throw new Rejection('not_supported', `this server does not support ${path}`)
      },
    }),
  ),
)
