import Type from 'typebox'
import { json, type RequestInfo, type Route, route } from '../../kernel/http/route.ts'
import { Result, SUCCESS, Success, UnixSeconds } from '../../kernel/platform/schemas.ts'
import { NOTIFICATIONS_PATH } from './events.ts'
import { MINI_APPS, type Needs } from './needs.ts'
import { Domain, MiniApp, NotificationDetails, namedApps } from './schemas.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'

const MAX_ID_CHARACTERS = 64
const MAX_HEADER_CHARACTERS = 512
const MAX_SIGNATURE_CHARACTERS = 128

/** Does a change of the caller that has no answer but that it is done. */
async function change({ context }: Needs, request: RequestInfo, work: (fid: number) => unknown) {
  const { fid } = await context.actorOf(request)
  await work(fid)
  return SUCCESS
}

const listApp = route('POST /fc/mini-apps', {
  callers: 'user',
  summary: 'List a mini app, or have its manifest read again',
  description:
    'The manifest at `https://<domain>/.well-known/farcaster.json` must be signed by the caller’s account. The `data` of a ' +
    'refusal has all `faults`, each with how to mend it. An account may do this 20 times a day.',
  tags: MINI_APPS,
  body: json(Type.Object({ domain: Domain })),
  reply: Result(Type.Object({ app: MiniApp })),
  errors: [
    'unauthorized',
    'bad_request.validation_failure',
    'bad_request.conflict',
    'rate_limited',
    'not_supported',
  ],
  cost: { cpu: 'large', recoveries: 1, writes: 2 },
  handler: async ({ context, miniApps }: Needs, { body, request }) => {
    const actor = await context.actorOf(request)
    const app = await miniApps.catalogue.list(body.domain, actor.fid)
    const [named] = await namedApps(context.storage, [app])
    return { result: { app: named! } }
  },
})

const withdrawApp = route('DELETE /fc/mini-apps', {
  callers: 'user',
  summary: 'Take an own mini app off the list',
  description:
    'By its author. It is gone from every list and from every user who had added it, and its tokens end.',
  tags: MINI_APPS,
  body: json(Type.Object({ domain: Domain })),
  reply: Success,
  errors: ['unauthorized', 'bad_request.validation_failure', 'not_supported'],
  cost: 'write',
  handler: (needs: Needs, { body: { domain }, request }) =>
    change(needs, request, (fid) => needs.miniApps.catalogue.withdraw(domain, fid)),
})

const EventName = Type.Enum([
  'miniapp_added',
  'miniapp_removed',
  'notifications_enabled',
  'notifications_disabled',
])

const prepareEvent = route('POST /fc/mini-app-events', {
  callers: 'user',
  summary: 'Begin to add or remove a mini app, or to switch its notifications',
  description:
    'Answers the payload of the event that the server of the app is told. The user’s key signs `header.payload`, where the ' +
    'header is `{"fid", "type": "app_key", "key"}` in base64url, and PUT stores it within ten minutes. Clients check that the ' +
    'payload has nothing but `event` and `notificationDetails` before they sign it.',
  tags: MINI_APPS,
  body: json(
    Type.Object({
      domain: Domain,
      event: EventName,
      notifications: Type.Optional(
        Type.Boolean({
          description: 'Whether an app that is added may notify; true unless given.',
        }),
      ),
    }),
  ),
  reply: Result(
    Type.Object({
      id: Type.String(),
      payload: Type.String({ description: 'JSON in base64url.' }),
      expiresAt: UnixSeconds,
    }),
  ),
  errors: [
    'bad_request.validation_failure',
    'bad_request.conflict',
    'not_found',
    'rate_limited',
    'not_supported',
  ],
  cost: 'write',
  handler: async ({ context, miniApps }: Needs, { body, request }) => {
    const { fid } = await context.actorOf(request)
    return { result: await miniApps.events.prepare(fid, body) }
  },
})

const completeEvent = route('PUT /fc/mini-app-events', {
  callers: 'user',
  summary: 'Store an event that the user has signed',
  description:
    'It is sent to the webhook of the app, if it has one, until that answers or a day has passed. A user signs at most 500 a day.',
  tags: MINI_APPS,
  body: json(
    Type.Object({
      id: Type.String({ minLength: 1, maxLength: MAX_ID_CHARACTERS }),
      header: Type.String({ minLength: 1, maxLength: MAX_HEADER_CHARACTERS }),
      signature: Type.String({
        minLength: 1,
        maxLength: MAX_SIGNATURE_CHARACTERS,
        description: 'Ed25519, in base64url.',
      }),
    }),
  ),
  reply: Result(
    Type.Object({
      added: Type.Boolean(),
      notifies: Type.Boolean(),
      notificationDetails: Type.Optional(NotificationDetails),
      webhook: Type.Enum(['queued', 'none']),
    }),
  ),
  errors: ['bad_request.validation_failure', 'bad_request.conflict', 'not_found', 'rate_limited'],
  cost: { cpu: 'medium', writes: 2 },
  handler: async ({ context, miniApps }: Needs, { body, request }) => {
    const { fid } = await context.actorOf(request)
    return { result: await miniApps.events.complete(fid, body) }
  },
})

const openApp = route('POST /fc/mini-app-opens', {
  callers: 'user',
  summary: 'Say that the caller has opened a mini app',
  description: 'For the lists of recent and of top apps. An app counts once an hour for a user.',
  tags: MINI_APPS,
  body: json(Type.Object({ domain: Domain })),
  reply: Success,
  errors: ['bad_request.validation_failure', 'not_found', 'not_supported'],
  cost: 'write',
  handler: (needs: Needs, { body: { domain }, request }) =>
    change(needs, request, (fid) => needs.miniApps.uses.open(fid, domain)),
})

const choose = route('PUT /fc/mini-app-choices', {
  callers: 'user',
  summary: 'Decide who sees which mini apps the caller opens',
  description:
    'Unless `hidesUse` is true, friends are shown apps that the caller opened in the last 30 days.',
  tags: MINI_APPS,
  body: json(Type.Object({ hidesUse: Type.Boolean() })),
  reply: Success,
  errors: [],
  cost: 'write',
  handler: (needs: Needs, { body: { hidesUse }, request }) =>
    change(needs, request, (fid) => needs.miniApps.uses.setHidden(fid, hidesUse)),
})

const seeNotices = route('POST /fc/mini-app-notices/seen', {
  callers: 'user',
  summary: 'Mark what mini apps have told the caller as seen',
  description: 'Up to and including a time.',
  tags: MINI_APPS,
  body: json(Type.Object({ until: UnixSeconds })),
  reply: Success,
  errors: [],
  cost: 'write',
  handler: (needs: Needs, { body: { until }, request }) =>
    change(needs, request, (fid) =>
      needs.context.storage.write(`fid/${fid}`, (tx) =>
        tx.of(miniAppNoticeRows).see(fid, until, needs.context.now()),
      ),
    ),
})

/** The bounds of published clients, in UTF-16 units. */
const MAX_NOTIFICATION_ID = 128
const MAX_TITLE = 32
const MAX_BODY = 128
const MAX_TARGET_URL = 1_024
const MAX_TOKENS = 100
const MAX_TOKEN_CHARACTERS = 128

const Tokens = Type.Array(Type.String())

const notify = route(`POST ${NOTIFICATIONS_PATH}`, {
  callers: 'anyone',
  summary: 'Notify users of a mini app',
  description:
    'By the server of the app; the tokens are its right. A token may be used once in 30 seconds and 100 times a day, and an app ' +
    'may notify 10,000 users a minute. The same `notificationId` counts once in 24 hours for a user. Tokens in `failedTokens` ' +
    'stay valid; those in `invalidTokens` have ended.',
  tags: MINI_APPS,
  body: json(
    Type.Object({
      notificationId: Type.String({ minLength: 1, maxLength: MAX_NOTIFICATION_ID }),
      title: Type.String({ minLength: 1, maxLength: MAX_TITLE }),
      body: Type.String({ maxLength: MAX_BODY }),
      targetUrl: Type.String({ minLength: 1, maxLength: MAX_TARGET_URL }),
      tokens: Type.Array(Type.String({ maxLength: MAX_TOKEN_CHARACTERS }), {
        maxItems: MAX_TOKENS,
      }),
    }),
  ),
  reply: Result(
    Type.Object({
      successfulTokens: Tokens,
      invalidTokens: Tokens,
      rateLimitedTokens: Tokens,
      failedTokens: Type.Array(
        Type.Object({
          token: Type.String(),
          fid: Type.Optional(Type.Integer()),
          reason: Type.Enum(['domain_mismatch', 'target_url_mismatch', 'unknown']),
        }),
      ),
    }),
  ),
  errors: ['bad_request.validation_failure'],
  cost: { cpu: 'medium', writes: 2 },
  handler: async ({ miniApps }: Needs, { body: { tokens, ...notification } }) => ({
    result: await miniApps.notices.send(notification, tokens),
  }),
})

export const miniAppWriteRoutes: readonly Route<Needs>[] = [
  listApp,
  withdrawApp,
  prepareEvent,
  completeEvent,
  openApp,
  choose,
  seeNotices,
  notify,
]
