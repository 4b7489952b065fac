import { randomUUID } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { appOf } from '../../../kernel/app-api/app-route.ts'
import type { AppCaller } from '../../../kernel/app-api/apps.ts'
import { FidNumber, invalidField } from '../../../kernel/app-api/bodies.ts'
import { nextOf, paged } from '../../../kernel/app-api/cursor.ts'
import { pageOf } from '../../../kernel/app-api/pages.ts'
import { boundedParam } from '../../../kernel/app-api/params.ts'
import { described, fidsParam, optional } from '../../../kernel/http/input/params.ts'
import { json, route } from '../../../kernel/http/route.ts'
import { refusalOf } from '../../../kernel/limits/exceeded.ts'
import { Quota } from '../../../kernel/limits/quota.ts'
import { Rejection } from '../../../kernel/protocol/rejection.ts'
import { DAY_MS } from '../../../kernel/protocol/time.ts'
import { miniAppCampaignRows } from '../tables/mini-app-campaigns.ts'
import type { MiniAppToken } from '../tables/mini-app-notices.ts'
import { miniAppNoticeRows } from '../tables/mini-app-notices.ts'
import { miniAppReadRows } from '../tables/mini-app-reads.ts'
import type { StoredMiniApp } from '../tables/mini-apps.ts'
import { miniAppRows } from '../tables/mini-apps.ts'
import type { MiniAppContext, MiniAppPort } from './context.ts'
import { MINI_APP_TAGS } from './frames.ts'
import { CampaignsReply, SendNotificationsReply, TokensReply } from './schemas.ts'

// The apps that a key may notify for: those that the account of the key has signed, and on a development network those that
// nobody has signed.

const MAX_TARGETS = 100
/** Users that one call notifies when it names none. */
const MAX_BROADCAST = 10_000
/** Tokens in one transaction. */
const BATCH = 100
const MAX_APPS_OF_AUTHOR = 100
/** The notification, and a push. */
const WRITES_PER_USER = 2
/** Calls of one app of the app API in a day; each is kept for 30 days. */
const MAX_CAMPAIGNS_PER_DAY = 1_000
const CAMPAIGNS = 'mini app campaigns'

const SendBody = Type.Object({
  target_fids: Type.Optional(
    Type.Array(FidNumber, {
      maxItems: MAX_TARGETS,
      description: 'Who is notified; everybody who lets the app, when it is empty.',
    }),
  ),
  notification: Type.Object({
    title: Type.String({ minLength: 1, maxLength: 32 }),
    body: Type.String({ maxLength: 128 }),
    target_url: Type.String({ minLength: 1, maxLength: 1_024 }),
    uuid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description: 'The same counts once in 24 hours for a user.',
      }),
    ),
  }),
  filters: Type.Optional(
    Type.Object({
      exclude_fids: Type.Optional(Type.Array(FidNumber, { maxItems: 10_000 })),
      following_fid: Type.Optional(FidNumber),
      minimum_user_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      near_location: Type.Optional(
        Type.Unknown({ $comment: 'Open: refused as not supported, whatever it is.' }),
      ),
    }),
  ),
})
type SendBody = Static<typeof SendBody>

export const sendNotifications = route('POST /v2/farcaster/frame/notifications', {
  callers: 'app',
  summary: 'Notify users of a mini app',
  description:
    'The app is the one at the host of `target_url`; the account of the key must have signed it. The limits are those of the ' +
    'client platform: once in 30 seconds and 100 times a day for a user. An app makes at most 1,000 calls a day.',
  tags: MINI_APP_TAGS,
  body: json(SendBody),
  reply: SendNotificationsReply,
  errors: [
    'bad_request.validation_failure',
    'unauthorized',
    'not_found',
    'not_supported',
    'rate_limited',
  ],
  cost: { cpu: 'large', writes: 4 },
  costOfBody: ({ target_fids: targets = [] }) => ({
    writes: WRITES_PER_USER * (targets.length || MAX_BROADCAST),
  }),
  handler: async (context: MiniAppContext, { body, request }) => {
    const caller = appOf(request)
    const { notification, filters = {} } = body
    if (filters.near_location !== undefined) {
      throw new Rejection('not_supported', 'users have no places here: filters.near_location', {
        field: 'filters.near_location',
      })
    }
    const { fid } = (request.caller as AppCaller).app
    const app = await appAt(context, notification.target_url, fid)
    const targets = await tokensFor(context, app, body)
    await consumeCampaign(context, caller)
    const campaign = await notify(context, { app, caller }, notification, targets.tokens)
    const notAttempted = targets.without + campaign.limited.length
    return {
      campaign_id: campaign.id,
      success_count: campaign.sent,
      failure_count: campaign.failed,
      not_attempted_count: notAttempted,
      retryable_fids: campaign.limited,
    }
  },
})

async function appAt(
  { storage, miniApps }: MiniAppContext,
  target: string,
  fid: number,
): Promise<StoredMiniApp> {
  const url = URL.parse(target)
  const app = url ? await storage.of(miniAppRows).byDomain(url.host) : undefined
  if (!app || app.state === 'removed') {
    throw new Rejection('not_found', 'no mini app is listed at the host of target_url', {
      field: 'notification.target_url',
    })
  }
  if (miniApps.mayNotifyFor(app, fid)) return app
  throw new Rejection('unauthorized', `fid ${fid}, whose key this is, has not signed ${app.domain}`)
}

/** The tokens of the users who are meant, and how many users have none. */
async function tokensFor(
  { storage, scores }: MiniAppContext,
  app: StoredMiniApp,
  { target_fids: targets = [], filters = {} }: SendBody,
): Promise<{ tokens: MiniAppToken[]; without: number }> {
  const excluded = new Set(filters.exclude_fids)
  const meant = [...new Set(targets)].filter((fid) => !excluded.has(fid))
  const found =
    targets.length > 0
      ? await storage.of(miniAppReadRows).tokensOf(app.id, meant)
      : await storage.of(miniAppNoticeRows).enabledOf(app.id, MAX_BROADCAST)
  let tokens = found.filter(({ state, fid }) => state === 'enabled' && !excluded.has(fid))
  if (filters.following_fid !== undefined) {
    const fids = tokens.map(({ fid }) => fid)
    const followers = await storage.appViews.followsBetween(fids, filters.following_fid)
    tokens = tokens.filter(({ fid }) => followers.has(fid))
  }
  if (filters.minimum_user_score !== undefined) {
    const least = filters.minimum_user_score
    const scoreOf = await scores()
    tokens = tokens.filter(({ fid }) => (scoreOf?.(fid) ?? 0) >= least)
  }
  const reached = new Set(tokens.map(({ fid }) => fid))
  return { tokens, without: meant.filter((fid) => !reached.has(fid)).length }
}

async function consumeCampaign({ storage, nowMs }: MiniAppContext, app: string): Promise<void> {
  await storage.write(`app/${app}`, async (tx) => {
    const quota = new Quota(CAMPAIGNS, await tx.quotas.used(CAMPAIGNS, [app]))
    const terms = { windowMs: DAY_MS, max: MAX_CAMPAIGNS_PER_DAY }
    const exceeded = quota.tryConsume(app, terms, nowMs())
    if (exceeded) throw refusalOf(exceeded, `an app notifies ${MAX_CAMPAIGNS_PER_DAY} times a day`)
    await tx.quotas.put(quota.changed)
  })
}

async function notify(
  { storage, miniApps, nowMs }: MiniAppContext,
  { app, caller }: { app: StoredMiniApp; caller: string },
  { uuid, title, body, target_url: targetUrl }: SendBody['notification'],
  tokens: readonly MiniAppToken[],
) {
  const id = uuid ?? randomUUID()
  const counts = { sent: 0, failed: 0, limited: [] as number[] }
  const fids = new Map(tokens.map(({ token, fid }) => [token, fid]))
  const names = [...fids.keys()]
  for (let at = 0; at < names.length; at += BATCH) {
    const notification = { notificationId: id, title, body, targetUrl }
    const outcome = await inOurFields(miniApps.send(notification, names.slice(at, at + BATCH)))
    counts.sent += outcome.successfulTokens.length
    counts.failed += outcome.invalidTokens.length + outcome.failedTokens.length
    counts.limited.push(...outcome.rateLimitedTokens.map((token) => fids.get(token)!))
  }
  await storage.write(`app/${caller}`, async (tx) => {
    const known = await tx.of(miniAppCampaignRows).find(id)
    // The id of another app's campaign stays its own.
    if (known && known.app !== caller) return
    await tx.of(miniAppCampaignRows).put({
      ...{ id, app: caller, app_id: app.id, title, body, target_url: targetUrl },
      ...{ tokens: tokens.length, sent: counts.sent, failed: counts.failed },
      ...{ limited: counts.limited.length, created_at: Math.floor(nowMs() / 1_000) },
    })
  })
  return { id, ...counts }
}

const OUR_FIELDS: Readonly<Record<string, string>> = {
  title: 'notification.title',
  body: 'notification.body',
  targetUrl: 'notification.target_url',
  notificationId: 'notification.uuid',
}

/** Names the field of this interface in a refusal of the client platform. */
async function inOurFields<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const field = error instanceof Rejection && error.field && OUR_FIELDS[error.field]
    throw field ? invalidField(field, (error as Rejection).message.replace(/^\S+ /, '')) : error
  })
}

const timeText = (seconds: number) => new Date(seconds * 1_000).toISOString()

export const listCampaigns = route('GET /v2/farcaster/frame/notifications', {
  callers: 'app',
  summary: 'What an app has sent to users of its mini apps',
  description: 'The newest first; of the last 30 days.',
  tags: MINI_APP_TAGS,
  query: {
    ...paged({ default: 100, max: 1_000 }, 'n', 's'),
    campaign_id: optional(boundedParam(128, 'Only this one.')),
  },
  reply: CampaignsReply,
  errors: ['bad_request.invalid_param'],
  cost: 'list',
  handler: async ({ storage }: MiniAppContext, { query, request }) => {
    const app = appOf(request)
    const { limit, cursor, campaignId } = query
    const one =
      campaignId === undefined ? undefined : await storage.of(miniAppCampaignRows).find(campaignId)
    const rows =
      campaignId === undefined
        ? await storage.of(miniAppCampaignRows).newest(app, cursor, limit + 1)
        : one?.app === app
          ? [one]
          : []
    const { items, last } = pageOf(rows, limit)
    const notificationCampaigns = items.map((row) => {
      const time = timeText(row.created_at)
      return {
        ...{ id: row.id, title: row.title, body: row.body, status: 'completed' as const },
        ...{ created_at: time, queued_at: time, completed_at: time },
        stats: {
          intended_recipient_notification_token_count: row.tokens,
          intended_recipient_app_fids: [],
          successful_sends: row.sent,
          successful_sends_by_app_fid: {},
          ...{ total_opens: 0, total_opens_by_app_fid: {} },
          ...{ unique_opens: 0, unique_opens_by_app_fid: {} },
          error_breakdown: {
            delivery_errors: { invalid_token: row.failed, rate_limited: row.limited },
          },
        },
      }
    })
    return { notificationCampaigns, next: nextOf(last && [last.created_at, last.id]) }
  },
})

const MAX_FIDS = 100

export const listTokens = route('GET /v2/farcaster/frame/notification_tokens', {
  callers: 'app',
  summary: "The tokens for notifications of the caller's mini apps",
  description: 'By user; of some users only when `fids` is given.',
  tags: MINI_APP_TAGS,
  query: {
    ...paged({ default: 20, max: 100 }, 'n', 'n', 's'),
    fids: described(optional(fidsParam(MAX_FIDS)), 'Only of these users, separated by commas.'),
  },
  reply: TokensReply,
  errors: ['bad_request.invalid_param'],
  cost: 'list',
  handler: async ({ storage, miniApps }: MiniAppContext, { query, request }) => {
    const { fid } = (request.caller as AppCaller).app
    const apps = await miniApps.appsOf(fid, MAX_APPS_OF_AUTHOR)
    const ids = apps.map(({ id }) => id)
    const { limit, cursor, fids } = query
    const rows = await storage.of(miniAppNoticeRows).tokensOfApps(ids, fids, cursor, limit + 1)
    const { items, last } = pageOf(rows, limit)
    return {
      notification_tokens: items.map((row) => tokenJson(row, miniApps)),
      next: nextOf(last && [last.fid, last.app_id, last.token]),
    }
  },
})

const tokenJson = (
  { token, state, fid, changed_at }: MiniAppToken,
  { notificationsUrl }: MiniAppPort,
) => ({
  object: 'notification_token' as const,
  url: notificationsUrl(),
  token,
  status: state,
  fid,
  created_at: timeText(changed_at),
  updated_at: timeText(changed_at),
})
