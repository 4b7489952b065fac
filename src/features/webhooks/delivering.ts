import { createHmac } from 'node:crypto'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { AppContext } from '../../kernel/app-api/context.ts'
import { castKey } from '../../kernel/app-api/keys.ts'
import { LOST_SECRET_FAULT } from '../../kernel/app-api/secrets.ts'
import {
  Courier,
  DELIVERY_OUTCOMES,
  type Delivery,
  type DeliveryOutcome,
  type DeliveryQueue,
} from '../../kernel/deliveries/courier.ts'
import { type SendResult, sendDelivery } from '../../kernel/deliveries/send.ts'
import { tellSent } from '../../kernel/deliveries/sent.ts'
import type { Logger } from '../../kernel/http/logger.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { fromHex } from '../../kernel/protocol/codec/bytes.ts'
import { eventTime } from '../../kernel/protocol/event-id.ts'
import type { ViewDelivery } from '../../kernel/storage/views/views.ts'
import type { Deliveries } from '../../kernel/views/port.ts'
import type { Subject } from '../../kernel/views/webhooks/subject.ts'
import { payloadOf } from './payload.ts'
import type { AppWebhook } from './tables/app-webhooks.ts'
import { appWebhookRows } from './tables/app-webhooks.ts'
import type { Webhooks } from './webhooks.ts'

const POLL_MS = 250
/** Deliveries of one webhook that the metrics count. */
const MAX_COUNTED = 1_000

type DeliveringContext = {
  readonly context: AppContext
  readonly webhooks: Webhooks
  readonly queue: Deliveries
  readonly allowLoopback: boolean
}

/** The job that sends the waiting deliveries of webhooks. */
export function deliveryJob(delivering: DeliveringContext, metrics: Registry, log: Logger): Job {
  const { context, webhooks, queue } = delivering
  const courier = new Courier({
    queue: queueOf(queue),
    log,
    nowMs: context.nowMs,
    giveUp: async (webhook, fault) => {
      await webhooks.deactivate(webhook, fault)
      await queue.drop(webhook)
    },
    count: deliveryCounter(delivering, metrics),
    send: (delivery, stop) => send(delivering, delivery, stop),
  })
  return {
    name: 'webhook deliveries',
    scope: 'leader',
    everyMs: POLL_MS,
    firstAfterMs: POLL_MS,
    async run({ signal }) {
      if (context.views.state().status === 'ready') await courier.run(signal)
    },
  }
}

type WebhookDelivery = ViewDelivery & Delivery

const deliveryOf = (row: ViewDelivery): WebhookDelivery => ({
  ...row,
  target: row.webhook,
  queuedAt: eventTime(row.event),
})

/** The deliveries of the views, for the courier. Those that have ended are not kept. */
const queueOf = (queue: Deliveries): DeliveryQueue<WebhookDelivery> => ({
  heads: async () => (await queue.heads()).map(deliveryOf),
  async head(webhook) {
    const row = await queue.head(webhook)
    return row && deliveryOf(row)
  },
  count: (webhook, limit) => queue.count(webhook, limit),
  end: (delivery) => queue.remove(keyOf(delivery)),
  postpone: (delivery, attempts, due) => queue.postpone(keyOf(delivery), attempts, due),
  drop: (webhook) => queue.drop(webhook),
})

const keyOf = ({ webhook, event, n }: ViewDelivery) => ({ webhook, event, n })

/** The lower-case hex HMAC-SHA512 of a body, as `X-Neynar-Signature` has it. */
const signBody = (body: string, secret: string): string =>
  createHmac('sha512', secret).update(body).digest('hex')

async function send(
  { context, webhooks, allowLoopback }: DeliveringContext,
  delivery: WebhookDelivery,
  stop: AbortSignal,
): Promise<SendResult | 'inactive' | 'obsolete'> {
  const webhook = await context.storage.of(appWebhookRows).byId(delivery.webhook)
  if (webhook?.active !== 1) return 'inactive'
  const secret = webhooks.secretOf(webhook)
  if (secret === undefined) {
    await webhooks.deactivate(webhook.id, LOST_SECRET_FAULT)
    return 'inactive'
  }
  const body = await bodyOf({ context, webhooks }, webhook, delivery)
  if (body === undefined) return 'obsolete'
  const deliveryId = `${webhook.id}:${delivery.event}:${delivery.n}`
  const url = new URL(webhook.target_url)
  const headers = { 'x-neynar-signature': signBody(body, secret) }
  tellSent(() => ({
    by: context.storage,
    id: deliveryId,
    what: { kind: 'webhook', url: url.href, body },
  }))
  return sendDelivery({ url, body, headers, deliveryId }, { allowLoopback }, { stop })
}

/**
 * What a webhook is sent; undefined: nothing. When a cast was gone before the webhook was sent its creation, it is not sent
 * its deletion either: it would be about a cast that the receiver does not know. Deliveries of a webhook are sent in order.
 */
async function bodyOf(
  { context, webhooks }: Pick<DeliveringContext, 'context' | 'webhooks'>,
  webhook: AppWebhook,
  delivery: WebhookDelivery,
): Promise<string | undefined> {
  const subject: Subject = JSON.parse(delivery.subject)
  if (subject.kind !== 'cast') return payloadOf(context, webhook.app, delivery, subject)
  const key = castKey(subject.fid, fromHex(subject.hash)!)
  if (delivery.type === 'cast.deleted' && (await webhooks.takeUntold(webhook, key)))
    return undefined
  const body = await payloadOf(context, webhook.app, delivery, subject)
  // An attempt that failed may have arrived.
  const wasNeverSent = body === undefined && delivery.attempts === 0
  if (wasNeverSent && delivery.type === 'cast.created') await webhooks.putUntold(webhook, key)
  // One that was held is told when it is shown.
  if (body !== undefined && delivery.type === 'cast.created')
    await webhooks.takeUntold(webhook, key)
  return body
}

/** Registers the metrics of deliveries. Returns the function that counts an attempt. */
function deliveryCounter(
  { context, queue }: DeliveringContext,
  metrics: Registry,
): (outcome: DeliveryOutcome) => void {
  const registers = [metrics]
  const deliveries = new Counter({
    name: 'rookery_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0)
  new Gauge({
    name: 'rookery_webhook_waiting',
    help: 'Deliveries that wait, of each webhook at most 1,000',
    registers,
    async collect() {
      const heads = await queue.heads()
      const counts = await Promise.all(
        heads.map(({ webhook }) => queue.count(webhook, MAX_COUNTED)),
      )
      this.set(counts.reduce((sum, count) => sum + count, 0))
    },
  })
  new Gauge({
    name: 'rookery_webhook_oldest_seconds',
    help: 'Age of the oldest event that a webhook has yet to be told of',
    registers,
    async collect() {
      const times = (await queue.heads()).map(({ event }) => eventTime(event))
      const oldest = times.length === 0 ? 0 : context.nowMs() - Math.min(...times)
      this.set(Math.max(0, oldest / 1_000))
    },
  })
  return (outcome) => deliveries.inc({ outcome })
}
