import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Casts that were gone before a webhook was told of them. Times in Unix seconds. */
export const UNTOLD_CAST_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table app_webhook_untold (
     webhook text not null, cast_key ${bytes} not null, dropped_at bigint not null,
     primary key (webhook, cast_key)) ${clustered}`,
  'create index app_webhook_untold_dropped on app_webhook_untold (dropped_at)',
]
