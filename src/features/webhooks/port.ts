export { deliveryJob } from './delivering.ts'
export { appWebhookRows } from './tables/app-webhooks.ts'
export { type WebhookContext, webhookRoutes } from './webhook-routes.ts'
export { Webhooks } from './webhooks.ts'
