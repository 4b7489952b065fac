import Type from 'typebox'
import { MAX_DOMAIN_CHARACTERS } from '../../kernel/base/web-domain.ts'
import { pageReply } from '../../kernel/http/input/paging.ts'
import { described, textParam } from '../../kernel/http/input/params.ts'
import { json, type Route, route } from '../../kernel/http/route.ts'
import { cursor, limit } from '../../kernel/platform/params.ts'
import { PageOf, SUCCESS, Success } from '../../kernel/platform/schemas.ts'
import { sendAgain } from './deliveries.ts'
import { MINI_APPS, type Needs } from './needs.ts'
import { Domain } from './schemas.ts'
import type { MiniAppDelivery } from './tables/mini-app-deliveries.ts'
import { miniAppDeliveryRows } from './tables/mini-app-deliveries.ts'

// The log of what the server of an app was told, for its author.

const DeliveryJson = Type.Object(
  {
    n: Type.Integer({ description: 'Its place in the order of the app.' }),
    fid: Type.Integer(),
    event: Type.String(),
    body: Type.String({ description: 'As it is sent: header, payload and signature.' }),
    state: Type.Enum(['waiting', 'delivered', 'dropped']),
    attempts: Type.Integer(),
    queuedAt: Type.Integer({ description: 'Unix milliseconds.' }),
    endedAt: Type.Optional(Type.Integer()),
    answer: Type.Optional(
      Type.String({ description: 'What the server answered last, or why it was not told.' }),
    ),
  },
  { $id: 'MiniAppDelivery' },
)

const deliveryJson = (row: MiniAppDelivery) => ({
  ...{ n: row.n, fid: row.fid, event: row.event, body: row.body, state: row.state },
  ...{ attempts: row.attempts, queuedAt: row.queued_at },
  ...(row.ended_at !== null && { endedAt: row.ended_at }),
  ...(row.answer !== null && { answer: row.answer }),
})

const listDeliveries = route('GET /fc/mini-app-deliveries', {
  callers: 'user',
  summary: 'What the server of an own mini app was told',
  description:
    'The newest first; kept for a week. On a development network everybody sees those of unsigned apps.',
  tags: MINI_APPS,
  query: {
    domain: described(textParam({ maxBytes: MAX_DOMAIN_CHARACTERS }), 'The host of the app.'),
    limit: limit({ default: 25, max: 100 }),
    cursor: cursor('n'),
  },
  reply: PageOf(Type.Object({ deliveries: Type.Array(DeliveryJson) })),
  errors: ['unauthorized', 'not_found', 'not_supported'],
  cost: 'list',
  handler: async ({ context, miniApps }: Needs, { query, request }) => {
    const { fid } = await context.actorOf(request)
    const { id } = await miniApps.catalogue.getOwn(query.domain, fid)
    const before = (query.cursor?.[0] as number) ?? Number.MAX_SAFE_INTEGER
    const rows = await context.storage.of(miniAppDeliveryRows).ofApp(id, before, query.limit + 1)
    return pageReply(
      rows,
      query.limit,
      ({ n }) => [n],
      (items) => ({ deliveries: items.map(deliveryJson) }),
    )
  },
})

const again = route('POST /fc/mini-app-deliveries/again', {
  callers: 'user',
  summary: 'Tell the server of an own mini app once more',
  description:
    'The same signed event, behind what waits. One that waits already stays where it is. At most 1,000 a day.',
  tags: MINI_APPS,
  body: json(Type.Object({ domain: Domain, n: Type.Integer({ minimum: 1, maximum: 2 ** 40 }) })),
  reply: Success,
  errors: ['unauthorized', 'not_found', 'not_supported', 'rate_limited'],
  cost: 'write',
  handler: async ({ context, miniApps }: Needs, { body, request }) => {
    const { fid } = await context.actorOf(request)
    await sendAgain(context, await miniApps.catalogue.getOwn(body.domain, fid), body.n)
    return SUCCESS
  },
})

export const miniAppDeliveryRoutes: readonly Route<Needs>[] = [listDeliveries, again]
