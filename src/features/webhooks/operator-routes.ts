import Type from 'typebox'
import { boundedParam } from '../../kernel/app-api/params.ts'
import type { Param } from '../../kernel/http/input/params.ts'
import { bind, type Route, route } from '../../kernel/http/route.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { type AppWebhook, appWebhookRows } from './tables/app-webhooks.ts'

const TAGS = [{ name: 'Apps', description: 'Apps of the app API, and their keys.' }]
const UUID = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const Webhook = {
  id: Type.String(),
  app: Type.String({ pattern: UUID }),
  title: Type.String(),
  targetUrl: Type.String(),
  active: Type.Boolean(),
  waiting: Type.Integer({ description: 'Events to be delivered, counted up to 100,000.' }),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  fault: Type.Optional(Type.String({ description: 'Why the server switched it off.' })),
}
/** Webhooks of a page, and deliveries of each that are counted. */
const WEBHOOKS_PER_PAGE = 100
const MAX_COUNTED = 100_000

const afterParam: Param<string> = {
  schema: { type: 'string', maxLength: 64 },
  description: 'The `next` of the previous page; leave it out for the first page.',
  absent: () => '',
  parse: boundedParam(64, '').parse,
}

type Context = { readonly storage: Pick<Storage, 'of' | 'views'> }

const listWebhooks = route('GET /app/webhooks', {
  callers: 'operator',
  tags: TAGS,
  summary: 'The webhooks of all apps',
  description: 'By id, with the number of events that wait for each. Secrets are not shown.',
  query: { after: afterParam },
  reply: Type.Object({
    webhooks: Type.Array(Type.Object(Webhook)),
    next: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
  }),
  errors: [],
  cost: 'lookup',
  handler: async ({ storage }: Context, { query: { after } }) => {
    const { views } = storage
    const appWebhooks = storage.of(appWebhookRows)
    const rows = await appWebhooks.list(after, WEBHOOKS_PER_PAGE)
    const waiting = await Promise.all(rows.map(({ id }) => views.deliveryCount(id, MAX_COUNTED)))
    return {
      webhooks: rows.map((row, i) => webhookJson(row, waiting[i]!)),
      ...(rows.length === WEBHOOKS_PER_PAGE && { next: rows.at(-1)!.id }),
    }
  },
})

const webhookJson = (row: AppWebhook, waiting: number) => ({
  id: row.id,
  app: row.app,
  title: row.title,
  targetUrl: row.target_url,
  active: row.active === 1,
  waiting,
  createdAt: row.created_at,
  ...(row.fault !== null && { fault: row.fault }),
})

/** For the operations interface. */
export const operatorWebhookRoutes = (context: Context): Route[] => bind(context, [listWebhooks])
