import { randomBytes, randomUUID } from 'node:crypto'
import { type Secrets, unreadableSecret } from '../../kernel/app-api/secrets.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { DAY_SECONDS } from '../../kernel/protocol/time.ts'
import type { Reader, Storage } from '../../kernel/storage/storage.ts'
import type { Filters } from '../../kernel/views/webhooks/filter-schema.ts'
import { webhookOwner } from './sealed-webhooks.ts'
import { type AppWebhook, appWebhookRows, MAX_WEBHOOKS_PER_APP } from './tables/app-webhooks.ts'
import { untoldCastRows } from './tables/untold-casts.ts'

const SECRET_BYTES = 32
/** A cast that a moderator hid may be deleted by its author much later. Others are deleted when their creation is dropped. */
const UNTOLD_SECONDS = 90 * DAY_SECONDS

type WebhooksContext = {
  readonly storage: Storage
  readonly secrets: Secrets
  /** Unix seconds. */
  readonly now: () => number
}

export type WebhookTerms = {
  readonly title: string
  readonly url: string
  readonly filters: Filters
}

/** The webhooks of apps. Those of other apps are unknown to an app. */
export class Webhooks {
  readonly #context: WebhooksContext

  constructor(context: WebhooksContext) {
    this.#context = context
  }

  /** Throws a Rejection when its secret cannot be opened: nothing can be signed for it. */
  async get(app: string, id: string): Promise<AppWebhook> {
    const webhook = await getOwn(this.#context.storage, app, id)
    if (this.secretOf(webhook) !== undefined) return webhook
    throw unreadableSecret('delete the webhook and create it again', 'webhook_id')
  }

  list(app: string): Promise<AppWebhook[]> {
    return this.#context.storage.of(appWebhookRows).ofApp(app)
  }

  async create(app: string, { title, url, filters }: WebhookTerms): Promise<AppWebhook> {
    const { storage, secrets, now } = this.#context
    const id = randomUUID()
    const secret = await secrets.seal(randomBytes(SECRET_BYTES), webhookOwner({ id }))
    return storage.write(`app/${app}`, async (tx) => {
      if ((await tx.of(appWebhookRows).ofApp(app)).length >= MAX_WEBHOOKS_PER_APP) {
        const text = `the app has ${MAX_WEBHOOKS_PER_APP} webhooks already`
        throw new Rejection('bad_request.conflict', text)
      }
      const webhook: AppWebhook = {
        ...{ id, app, title, target_url: url, active: 1, filters: JSON.stringify(filters) },
        ...{ subscription_id: randomUUID(), secret_id: randomUUID(), fault: null },
        ...{ secret, created_at: now(), updated_at: now() },
      }
      await tx.of(appWebhookRows).put(webhook)
      return webhook
    })
  }

  replace(app: string, id: string, { title, url, filters }: WebhookTerms): Promise<AppWebhook> {
    return this.#change(app, id, { title, target_url: url, filters: JSON.stringify(filters) })
  }

  async setActive(app: string, id: string, active: boolean): Promise<AppWebhook> {
    if (active) await this.get(app, id)
    return this.#change(app, id, { active: active ? 1 : 0, fault: null })
  }

  remove(app: string, id: string): Promise<AppWebhook> {
    return this.#context.storage.write(`app/${app}`, async (tx) => {
      const webhook = await getOwn(tx, app, id)
      await tx.of(appWebhookRows).remove(id)
      return webhook
    })
  }

  /** Switches a webhook off and stores why. */
  async deactivate(id: string, fault: string): Promise<void> {
    const { storage, now } = this.#context
    const app = (await storage.of(appWebhookRows).byId(id))?.app
    if (app === undefined) return
    await storage.write(`app/${app}`, async (tx) => {
      const webhook = await tx.of(appWebhookRows).byId(id)
      if (webhook)
        await tx.of(appWebhookRows).put({ ...webhook, active: 0, fault, updated_at: now() })
    })
  }

  /** Stores that the creation of a cast was dropped before this webhook was sent it. */
  putUntold({ id, app }: AppWebhook, cast_key: Uint8Array): Promise<void> {
    const { storage, now } = this.#context
    return storage.write(`app/${app}`, async (tx) => {
      const rows = tx.of(untoldCastRows)
      await rows.expire(now() - UNTOLD_SECONDS)
      await rows.put({ webhook: id, cast_key, dropped_at: now() })
    })
  }

  /** Whether that was stored. It is not any more. */
  async takeUntold({ id, app }: AppWebhook, cast_key: Uint8Array): Promise<boolean> {
    const { storage } = this.#context
    const key = { webhook: id, cast_key }
    if (!(await storage.of(untoldCastRows).has(key))) return false
    await storage.write(`app/${app}`, (tx) => tx.of(untoldCastRows).remove(key))
    return true
  }

  /** The secret as its owner knows it: hex without 0x. Undefined when it cannot be opened. */
  secretOf(webhook: AppWebhook): string | undefined {
    const secret = this.#context.secrets.open(webhook.secret, webhookOwner(webhook))
    return secret && toHex(secret).slice(2)
  }

  #change(app: string, id: string, changes: Partial<AppWebhook>): Promise<AppWebhook> {
    const { storage, now } = this.#context
    return storage.write(`app/${app}`, async (tx) => {
      const webhook = { ...(await getOwn(tx, app, id)), ...changes, updated_at: now() }
      await tx.of(appWebhookRows).put(webhook)
      return webhook
    })
  }
}

async function getOwn({ of }: Pick<Reader, 'of'>, app: string, id: string): Promise<AppWebhook> {
  const webhook = await of(appWebhookRows).byId(id)
  if (webhook?.app === app) return webhook
  throw new Rejection('not_found', 'this app has no such webhook', { field: 'webhook_id' })
}
