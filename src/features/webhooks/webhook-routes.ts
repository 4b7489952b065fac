import Type, { type Static } from 'typebox'
import { appOf } from '../../kernel/app-api/app-route.ts'
import { invalidField } from '../../kernel/app-api/bodies.ts'
import { unixTimeOf } from '../../kernel/app-api/objects/hydrate.ts'
import { TARGET_FIELD } from '../../kernel/deliveries/send.ts'
import { anyTextParam, described } from '../../kernel/http/input/params.ts'
import { checkUrl } from '../../kernel/http/outgoing.ts'
import { bind, json, type Route, route } from '../../kernel/http/route.ts'
import { FiltersSchema } from '../../kernel/views/webhooks/filter-schema.ts'
import { checkFilters } from '../../kernel/views/webhooks/filters.ts'
import type { AppWebhook } from './tables/app-webhooks.ts'

import type { Webhooks, WebhookTerms } from './webhooks.ts'

const WEBHOOKS = [{ name: 'Webhooks', description: 'Events that are posted to an app.' }]
/** Secrets are not rotated. */
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

/** What the routes that change a webhook have in common. Expressions are compiled when they are stored. */
const write = {
  tags: WEBHOOKS,
  reply: WebhookReply,
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'not_supported',
    'not_found',
    'unreadable_secret',
  ],
  cost: { cpu: 'medium', writes: 2 },
} as const

export type WebhookContext = {
  readonly webhooks: Webhooks
  /** Whether webhooks may be on this machine, over http. */
  readonly allowLoopback: boolean
}

export const webhookRoutes = (context: WebhookContext): Route[] =>
  bind(context, [
    createWebhook,
    replaceWebhook,
    switchWebhook,
    removeWebhook,
    getWebhook,
    listWebhooks,
  ])

const createWebhook = route('POST /v2/farcaster/webhook', {
  callers: 'app',
  ...write,
  summary: 'Create a webhook',
  description:
    'Events of the subscription are posted to the url in their order, each at least once, with the header ' +
    'X-Neynar-Signature: the HMAC-SHA512 of the body in hex.',
  body: json(CreateBody),
  handler: async (context: WebhookContext, { body, request }) => {
    const webhook = await context.webhooks.create(appOf(request), termsOf(context, body))
    return webhookReply(context, 'Webhook created', webhook)
  },
})

const replaceWebhook = route('PUT /v2/farcaster/webhook', {
  callers: 'app',
  ...write,
  summary: 'Change a webhook',
  description: 'Name, url and subscription are replaced; the secret stays.',
  body: json(ReplaceBody),
  handler: async (context: WebhookContext, { body, request }) => {
    const webhook = await context.webhooks.replace(
      appOf(request),
      body.webhook_id,
      termsOf(context, body),
    )
    return webhookReply(context, 'Webhook changed', webhook)
  },
})

const switchWebhook = route('PATCH /v2/farcaster/webhook', {
  callers: 'app',
  ...write,
  summary: 'Switch a webhook on or off',
  description: 'While it is off it is told of nothing, and what waited for it is dropped.',
  body: json(SwitchBody),
  handler: async (context: WebhookContext, { body: { webhook_id, active }, request }) => {
    const webhook = await context.webhooks.setActive(
      appOf(request),
      webhook_id,
      String(active) === 'true',
    )
    return webhookReply(context, 'Webhook changed', webhook)
  },
})

const removeWebhook = route('DELETE /v2/farcaster/webhook', {
  callers: 'app',
  ...write,
  summary: 'Delete a webhook',
  description: 'What waits for it is dropped.',
  body: json(RemoveBody),
  handler: async (context: WebhookContext, { body, request }) => {
    const webhook = await context.webhooks.remove(appOf(request), body.webhook_id)
    return webhookReply(context, 'Webhook deleted', webhook)
  },
})

const getWebhook = route('GET /v2/farcaster/webhook', {
  callers: 'app',
  summary: 'A webhook',
  description: 'With its secret and its subscription.',
  tags: WEBHOOKS,
  query: { webhook_id: described(anyTextParam, 'A webhook of this app.') },
  reply: WebhookReply,
  errors: ['not_found', 'unreadable_secret'],
  cost: 'lookup',
  handler: async (context: WebhookContext, { query, request }) =>
    webhookReply(
      context,
      'Webhook found',
      await context.webhooks.get(appOf(request), query.webhookId),
    ),
})

const listWebhooks = route('GET /v2/farcaster/webhook/list', {
  callers: 'app',
  summary: 'The webhooks of the app',
  description: 'By time of creation.',
  tags: WEBHOOKS,
  reply: Type.Object({ webhooks: Type.Array(WebhookJson) }),
  errors: [],
  cost: 'lookup',
  handler: async (context: WebhookContext, { request }) => {
    const webhooks = await context.webhooks.list(appOf(request))
    return { webhooks: webhooks.map((webhook) => webhookJson(context, webhook)) }
  },
})

const webhookReply = (context: WebhookContext, message: string, webhook: AppWebhook) => ({
  success: true,
  message,
  webhook: webhookJson(context, webhook),
})

function termsOf(
  { allowLoopback }: WebhookContext,
  { name, url, subscription = {} }: Static<typeof CreateBody>,
): WebhookTerms {
  if (!URL.canParse(url)) throw invalidField(TARGET_FIELD, 'must be a URL')
  checkUrl(new URL(url), { allowLoopback, field: TARGET_FIELD })
  return { title: name, url, filters: checkFilters(subscription, 'subscription') }
}

function webhookJson(
  { webhooks }: WebhookContext,
  webhook: AppWebhook,
): Static<typeof WebhookJson> {
  const { id, app, title, target_url, active, subscription_id, secret_id } = webhook
  const created_at = unixTimeOf(webhook.created_at)
  const updated_at = unixTimeOf(webhook.updated_at)
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
