import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Notifications that apps send through the app API, and what its catalogue tells of a manifest. */
export const MINI_APP_CAMPAIGN_MIGRATION = ({ clustered }: Dialect) => [
  // Chains that the app needs, such as `,eip155:10,eip155:8453,`.
  "alter table mini_app add column chains text not null default ''",
  'alter table mini_app add column association text',
  `create table mini_app_campaign (
     id text not null primary key, app text not null, app_id bigint not null, title text not null, body text not null,
     target_url text not null, tokens bigint not null, sent bigint not null, failed bigint not null,
     limited bigint not null, created_at bigint not null) ${clustered}`,
  'create index mini_app_campaign_newest on mini_app_campaign (app, created_at desc, id)',
  'create index mini_app_campaign_created on mini_app_campaign (created_at)',
]
