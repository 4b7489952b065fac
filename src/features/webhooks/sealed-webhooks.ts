import { LOST_SECRET_FAULT } from '../../kernel/app-api/secrets.ts'
import type { SealedRows } from '../../kernel/storage/sealed-rows.ts'
import { type AppWebhook, appWebhookRows } from './tables/app-webhooks.ts'

/** What the sealed secret of a webhook is bound to. */
export const webhookOwner = ({ id }: Pick<AppWebhook, 'id'>) => [
  Buffer.from('webhook'),
  Buffer.from(id),
]

/** Webhooks, whose calls are signed. Without their secret they are off. */
export const sealedWebhooks: SealedRows = {
  async read({ of }, after, limit) {
    const webhooks = await of(appWebhookRows).sealed(after, limit)
    return webhooks.map((one) => ({ id: one.id, secret: one.secret, owner: webhookOwner(one) }))
  },
  async giveUp({ of, write }, ids) {
    const off = { active: 0, fault: LOST_SECRET_FAULT, secret: new Uint8Array(0) } as const
    for (const webhook of await of(appWebhookRows).byIds(ids)) {
      await write(`app/${webhook.app}`, (tx) => tx.of(appWebhookRows).put({ ...webhook, ...off }))
    }
  },
}
