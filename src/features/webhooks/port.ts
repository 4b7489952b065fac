export { appWebhookRows } from './tables/app-webhooks.ts'
