import { unixSeconds } from '../../kernel/base/clock.ts'
import type { Module } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { APP_API } from '../app-api/port.ts'
import { deliveryJob } from './delivering.ts'
import { operatorWebhookRoutes } from './operator-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { Webhooks } from './webhooks.ts'

export function serve(server: Server<unknown>): Module | undefined {
  const { storage, clock, metrics, logger, deliveries: queue, find } = server
  const app = find(APP_API)
  if (!app || !queue) return undefined
  const { secrets, allowLoopback } = app
  const webhooks = new Webhooks({ storage, secrets, now: () => unixSeconds(clock) })
  return {
    name: 'webhooks',
    routes: { app: webhookRoutes({ webhooks, allowLoopback }) },
    operatorRoutes: operatorWebhookRoutes({ storage }),
    jobs: [deliveryJob({ context: app, webhooks, queue, allowLoopback }, metrics, logger)],
  }
}
