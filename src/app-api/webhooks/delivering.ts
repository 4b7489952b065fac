import { Counter, Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../http/logger.ts'
import type { Job } from '../../jobs/job.ts'
import { eventTime } from '../../protocol/event-id.ts'
import type { AppContext } from '../context.ts'
import { LOST_SECRET_FAULT } from '../signers/secrets.ts'
import { createCourier, DELIVERY_OUTCOMES, type DeliveryQueue } from './courier.ts'
import { payloadOf } from './payload.ts'
import { sendWebhook } from './send.ts'
import type { Webhooks } from './webhooks.ts'

const LOOK_EVERY_MS = 250
/** Deliveries of one webhook that the metrics count. */
const MAX_COUNTED = 1_000

export type DeliveringContext = {
  readonly context: AppContext
  readonly webhooks: Webhooks
  readonly queue: DeliveryQueue
  readonly allowLoopback: boolean
  readonly metrics: Registry
  readonly log: Logger
}

/** The job that sends what waits for webhooks. */
export function deliveryJob(options: DeliveringContext): Job {
  const { context, webhooks, queue, allowLoopback, metrics, log } = options
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
  const courier = createCourier({
    queue,
    log,
    nowMs: context.nowMs,
    deactivate: webhooks.deactivate,
    delivered: (outcome) => deliveries.inc({ outcome }),
    async send(delivery, stop) {
      const webhook = await context.storage.appWebhooks.byId(delivery.webhook)
      if (webhook?.active !== 1) return 'inactive'
      const secret = webhooks.secretOf(webhook)
      if (secret === undefined) {
        await webhooks.deactivate(webhook.id, LOST_SECRET_FAULT)
        return 'inactive'
      }
      const body = await payloadOf(context, webhook.app, delivery)
      if (body === undefined) return 'obsolete'
      const { event, n } = delivery
      return sendWebhook(
        {
          url: new URL(webhook.target_url),
          body,
          secret,
          deliveryId: `${webhook.id}:${event}:${n}`,
        },
        { allowLoopback },
        { stop },
      )
    },
  })
  return {
    name: 'webhook deliveries',
    scope: 'leader',
    everyMs: LOOK_EVERY_MS,
    firstAfterMs: LOOK_EVERY_MS,
    async run({ signal }) {
      if (context.views.state().status === 'ready') await courier.run(signal)
    },
  }
}
