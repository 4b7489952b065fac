import { isLoopbackHost, readDomain } from '../../kernel/base/web-domain.ts'
import { Quota } from '../../kernel/limits/quota.ts'
import { visibleText } from '../../kernel/platform/visible-text.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS, MINUTE_MS } from '../../kernel/protocol/time.ts'
import type { Writer } from '../../kernel/storage/storage.ts'
import { miniAppPart } from './catalogue.ts'
import type { MiniAppContext } from './context.ts'
import { pushNotices } from './push.ts'
import type { MiniAppNotice, MiniAppToken } from './tables/mini-app-notices.ts'
import { miniAppNoticeRows } from './tables/mini-app-notices.ts'
import type { StoredMiniApp } from './tables/mini-apps.ts'
import { miniAppRows } from './tables/mini-apps.ts'

// Notifications that apps send to their users.

/** A repeated notification counts once within this time. */
const SAME_SECONDS = DAY_SECONDS
/** Of one token. */
const OFTEN = { name: 'mini app notices', windowMs: MINUTE_MS / 2, max: 1 }
const DAILY = { name: 'mini app notices a day', windowMs: 24 * 60 * MINUTE_MS, max: 100 }
/** Of one app. */
const APP = { name: 'mini app notices of an app', windowMs: MINUTE_MS, max: 10_000 }

type Context = Pick<MiniAppContext, 'storage' | 'now' | 'clock' | 'settings' | 'pushes'>

export type Notification = {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
}

export type FailureReason = 'domain_mismatch' | 'target_url_mismatch' | 'unknown'

export type NotificationOutcome = {
  readonly successfulTokens: string[]
  readonly invalidTokens: string[]
  readonly rateLimitedTokens: string[]
  readonly failedTokens: { token: string; fid?: number; reason: FailureReason }[]
}

export class MiniAppNotices {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Stores a notification for the users of tokens, and says what became of it for each. */
  async send(given: Notification, tokens: readonly string[]): Promise<NotificationOutcome> {
    const { storage } = this.#context
    const { domain, notification } = this.#checked(given)
    const app = await storage.of(miniAppRows).byDomain(domain)
    const [outcome, stored] = await storage.write(miniAppPart(domain), (tx) =>
      this.#store(tx, app, notification, [...new Set(tokens)]),
    )
    if (app) await pushNotices(this.#context, app, stored)
    return outcome
  }

  async #store(
    tx: Writer,
    app: StoredMiniApp | undefined,
    notification: Notification,
    tokens: readonly string[],
  ): Promise<readonly [NotificationOutcome, readonly MiniAppNotice[]]> {
    const now = this.#context.now()
    const found = new Map(
      (await tx.of(miniAppNoticeRows).tokens(tokens)).map((one) => [one.token, one]),
    )
    const known = [...found.values()]
    const appIds = [...new Set(known.map(({ app_id }) => app_id))]
    const apps = await tx.of(miniAppRows).byIds(appIds)
    const removed = new Set(apps.flatMap((one) => (one.state === 'removed' ? [one.id] : [])))
    const fids = [...known.map(({ fid }) => fid), ...(app ? [app.author_fid] : [])]
    const hidden = await tx.moderation.hiddenAmong(fids)
    const isSilenced = app !== undefined && hidden.has(app.author_fid)
    const own = known.filter(({ app_id }) => app_id === app?.id)
    const noticeOf = ({ fid, app_id }: MiniAppToken) => ({
      ...{ fid, app_id, notification_id: notification.notificationId },
      ...{ title: notification.title, body: notification.body },
      ...{ target_url: notification.targetUrl, created_at: now, seen_at: null },
    })
    const before = await tx.of(miniAppNoticeRows).known(own.map(noticeOf))
    const repeated = new Set(
      before.flatMap((one) => (now - one.created_at < SAME_SECONDS ? [one.fid] : [])),
    )
    const rates = await Rates.read(tx, app?.id ?? 0, own, this.#context.clock.now())
    const outcome: NotificationOutcome = {
      ...{ successfulTokens: [], invalidTokens: [], rateLimitedTokens: [], failedTokens: [] },
    }
    const stored: MiniAppNotice[] = []
    for (const token of tokens) {
      const one = found.get(token)
      if (one?.state !== 'enabled' || removed.has(one.app_id)) outcome.invalidTokens.push(token)
      else if (one.app_id !== app?.id) {
        // The token stays valid: a wrong address is a mistake of the app, not of the user.
        const reason = app ? 'domain_mismatch' : 'target_url_mismatch'
        outcome.failedTokens.push({ token, fid: one.fid, reason })
      } else if (isSilenced || hidden.has(one.fid)) {
        outcome.failedTokens.push({ token, fid: one.fid, reason: 'unknown' })
      } else if (repeated.has(one.fid)) outcome.successfulTokens.push(token)
      else if (!rates.tryConsume(one.fid)) outcome.rateLimitedTokens.push(token)
      else {
        outcome.successfulTokens.push(token)
        stored.push(noticeOf(one))
      }
    }
    await tx.of(miniAppNoticeRows).put(stored)
    await tx.of(miniAppNoticeRows).trim(stored)
    await rates.write(tx)
    return [outcome, stored]
  }

  /** The notification as users see it, and the app that it names. */
  #checked(given: Notification): { domain: string; notification: Notification } {
    const { fetchLoopback } = this.#context.settings
    const target = URL.parse(given.targetUrl)
    const isLocal = target?.protocol === 'http:' && isLoopbackHost(target.hostname) && fetchLoopback
    const domain = target && readDomain(target.host, fetchLoopback)
    if (!domain || !(target.protocol === 'https:' || isLocal)) {
      throw invalid('targetUrl', 'must be an https URL of the app')
    }
    const [title, body] = [visibleText(given.title), visibleText(given.body)]
    const notificationId = visibleText(given.notificationId)
    if (title === '') throw invalid('title', 'must not be empty')
    if (notificationId === '') throw invalid('notificationId', 'must not be empty')
    return { domain, notification: { notificationId, title, body, targetUrl: target.href } }
  }
}

type RatedQuota = readonly [Quota, typeof OFTEN]

/** How often an app may notify its users: rows of the store, read and written in the transaction of a request. */
class Rates {
  readonly #quotas: readonly RatedQuota[]
  readonly #app: Quota
  readonly #appId: number
  readonly #now: number

  constructor(quotas: readonly RatedQuota[], app: Quota, appId: number, now: number) {
    this.#quotas = quotas
    this.#app = app
    this.#appId = appId
    this.#now = now
  }

  static async read(
    { quotas }: Writer,
    appId: number,
    tokens: readonly MiniAppToken[],
    now: number,
  ): Promise<Rates> {
    const subjects = tokens.map(({ fid }) => subjectOf(appId, fid))
    const read = async (terms: typeof OFTEN) =>
      [new Quota(terms.name, await quotas.used(terms.name, subjects)), terms] as const
    const app = new Quota(APP.name, await quotas.used(APP.name, [String(appId)]))
    return new Rates([await read(OFTEN), await read(DAILY)], app, appId, now)
  }

  /** Counts one notification for a user, unless there would then be too many. */
  tryConsume(fid: number): boolean {
    const subject = subjectOf(this.#appId, fid)
    if (this.#quotas.some(([quota, terms]) => quota.check(subject, terms, this.#now))) return false
    if (this.#app.tryConsume(String(this.#appId), APP, this.#now)) return false
    for (const [quota, terms] of this.#quotas) quota.tryConsume(subject, terms, this.#now)
    return true
  }

  write({ quotas }: Writer): Promise<void> {
    const all = [this.#app, ...this.#quotas.map(([quota]) => quota)]
    return quotas.put(all.flatMap((quota) => quota.changed))
  }
}

const subjectOf = (appId: number, fid: number) => `${appId}/${fid}`

const invalid = (field: string, what: string) =>
  new Rejection('bad_request.validation_failure', `${field} ${what}`, { field })
