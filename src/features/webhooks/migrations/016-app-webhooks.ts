import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Webhooks of apps. */
export const APP_WEBHOOK_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // filters: JSON. secret: sealed. fault: why the server switched it off.
  `create table app_webhook (
     id text not null primary key, app text not null, title text not null,
     target_url text not null, active bigint not null, filters text not null,
     subscription_id text not null, secret_id text not null, secret ${bytes} not null, fault text,
     created_at bigint not null, updated_at bigint not null) ${clustered}`,
  'create index app_webhook_app on app_webhook (app, created_at, id)',
]
