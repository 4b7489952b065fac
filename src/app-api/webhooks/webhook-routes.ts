import Type, { type Static } from 'typebox'
import { anyTextParam } from '../../http/input/params.ts'
import { checkUrl } from '../../http/outgoing.ts'
import { json, type Method, type Route } from '../../http/route.ts'
import { Rejection, type RejectionCode } from '../../protocol/rejection.ts'
import type { AppWebhook } from '../../storage/tables/apps.ts'
import { type Filters, FiltersSchema } from '../../views/webhooks/filter-schema.ts'
import { checkFilters } from '../../views/webhooks/filters.ts'
import { appRoute } from '../kit.ts'
import { unixTimeOf } from '../objects/hydrate.ts'
import { TARGET_FIELD } from './send.ts'
import type { Webhooks, WebhookTerms } from './webhooks.ts'

const WEBHOOKS = [{ name: 'Webhooks', description: 'Events that are posted to an app.' }]
/** Nothing is rotated yet: a secret is good for about as long as software. */
const SECRET_YEARS = 10

const Id = Type.String({ minLength: 1, maxLength: 64 })
const terms = {
  name: Type.String({ minLength: 1, maxLength: 256 }),
  url: Type.String({ minLength: 1, maxLength: 1_024, description: 'https at a public address.' }),
  subscription: Type.Optional(FiltersSchema),
}
const CreateBody = Type.Object(terms)
const ReplaceBody = Type.Object({ webhook_id: Id, ...terms })
const SwitchBody = Type.Object({
  webhook_id: Id,
  active: Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]),
})
const RemoveBody = Type.Object({ webhook_id: Id })

const time = Type.String({ description: 'ISO 8601, UTC.' })
const never = Type.Null({ description: 'Deleted webhooks are not shown.' })
const WebhookJson = Type.Object(
  {
    object: Type.Literal('webhook'),
    webhook_id: Type.String(),
    developer_uuid: Type.String({ description: 'The app.' }),
    target_url: Type.String(),
    title: Type.String(),
    description: Type.String(),
    active: Type.Boolean(),
    secrets: Type.Array(
      Type.Object({
        uid: Type.String(),
        value: Type.String({ description: 'The key of the signatures, as text.' }),
        expires_at: time,
        created_at: time,
        updated_at: time,
        deleted_at: never,
      }),
      { description: 'Empty when the server has lost the key that opens it.' },
    ),
    subscription: Type.Object({
      object: Type.Literal('webhook_subscription'),
      subscription_id: Type.String(),
      filters: FiltersSchema,
      created_at: time,
      updated_at: time,
    }),
    http_timeout: Type.String(),
    rate_limit: Type.Integer(),
    rate_limit_duration: Type.String(),
    created_at: time,
    updated_at: time,
    deleted_at: never,
  },
  { $id: 'Webhook' },
)
const WebhookReply = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  webhook: WebhookJson,
})

const ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'bad_request.conflict',
  'not_supported',
  'not_found',
  'unreadable_secret',
]

/** Expressions are compiled when they are stored. */
const COST = { cpu: 'medium', writes: 2 } as const

export function webhookRoutes(webhooks: Webhooks, { allowLoopback }: { allowLoopback: boolean }) {
  const jsonOf = (webhook: AppWebhook): Static<typeof WebhookJson> => {
    const { id, app, title, target_url, active, subscription_id, secret_id } = webhook
    const [created_at, updated_at] = [
      unixTimeOf(webhook.created_at),
      unixTimeOf(webhook.updated_at),
    ]
    const expiry = new Date(webhook.created_at * 1_000)
    expiry.setUTCFullYear(expiry.getUTCFullYear() + SECRET_YEARS)
    const value = webhooks.secretOf(webhook)
    const times = {
      ...{ expires_at: expiry.toISOString(), created_at },
      ...{ updated_at: created_at, deleted_at: null },
    }
    const secrets = value === undefined ? [] : [{ uid: secret_id, value, ...times }]
    return {
      ...{ object: 'webhook', webhook_id: id, developer_uuid: app, target_url, title },
      ...{ description: '', active: active === 1, secrets },
      subscription: {
        ...{ object: 'webhook_subscription', subscription_id },
        ...{ filters: JSON.parse(webhook.filters), created_at, updated_at },
      },
      ...{ http_timeout: '10s', rate_limit: 1_000, rate_limit_duration: '60s' },
      ...{ created_at, updated_at, deleted_at: null },
    }
  }
  const reply = (message: string, webhook: AppWebhook) => ({
    success: true,
    message,
    webhook: jsonOf(webhook),
  })
  const termsOf = ({ name, url, subscription = {} }: Static<typeof CreateBody>): WebhookTerms => {
    if (!URL.canParse(url)) {
      const text = `${TARGET_FIELD} must be a URL`
      throw new Rejection('bad_request.validation_failure', text, { field: TARGET_FIELD })
    }
    checkUrl(new URL(url), { allowLoopback, field: TARGET_FIELD })
    const filters: Filters = checkFilters(subscription, 'subscription')
    return { title: name, url, filters }
  }
  const write = <S extends Type.TObject>(
    method: Method,
    terms: { summary: string; description: string; body: S },
    message: string,
    act: (app: string, body: Static<S>) => Promise<AppWebhook>,
  ): Route =>
    appRoute(
      {
        ...{ method, path: '/webhook', tags: WEBHOOKS, reply: WebhookReply, errors: ERRORS },
        ...{ ...terms, body: json(terms.body), cost: COST },
      },
      async ({ body, caller }) => reply(message, await act(caller.app.uuid, body as Static<S>)),
    )

  return [
    write(
      'POST',
      {
        summary: 'Create a webhook',
        description:
          'Events of the subscription are posted to the url in their order, each at least once, with the header ' +
          'X-Neynar-Signature: the HMAC-SHA512 of the body in hex.',
        body: CreateBody,
      },
      'Webhook created',
      (app, body) => webhooks.create(app, termsOf(body)),
    ),
    write(
      'PUT',
      {
        summary: 'Change a webhook',
        description: 'Name, url and subscription are replaced; the secret stays.',
        body: ReplaceBody,
      },
      'Webhook changed',
      (app, body) => webhooks.replace(app, body.webhook_id, termsOf(body)),
    ),
    write(
      'PATCH',
      {
        summary: 'Switch a webhook on or off',
        description: 'While it is off it is told of nothing, and what waited for it is dropped.',
        body: SwitchBody,
      },
      'Webhook changed',
      (app, { webhook_id, active }) =>
        webhooks.setActive(app, webhook_id, String(active) === 'true'),
    ),
    write(
      'DELETE',
      {
        summary: 'Delete a webhook',
        description: 'What waits for it is dropped.',
        body: RemoveBody,
      },
      'Webhook deleted',
      (app, { webhook_id }) => webhooks.remove(app, webhook_id),
    ),
    appRoute(
      {
        method: 'GET',
        path: '/webhook',
        summary: 'A webhook',
        description: 'With its secret and its subscription.',
        tags: WEBHOOKS,
        query: { webhook_id: { ...anyTextParam, description: 'A webhook of this app.' } },
        reply: WebhookReply,
        errors: ['not_found', 'unreadable_secret'],
      },
      async ({ query, caller }) =>
        reply('Webhook found', await webhooks.get(caller.app.uuid, query.webhookId)),
    ),
    appRoute(
      {
        method: 'GET',
        path: '/webhook/list',
        summary: 'The webhooks of the app',
        description: 'By time of creation.',
        tags: WEBHOOKS,
        reply: Type.Object({ webhooks: Type.Array(WebhookJson) }),
      },
      async ({ caller }) => ({
        webhooks: (await webhooks.list(caller.app.uuid)).map(jsonOf),
      }),
    ),
  ]
}
