import type { Dialect } from '../engines/engine.ts'

/** What is used of quotas, counted for all processes together. */
export const QUOTA_MIGRATION = ({ clustered }: Dialect) => [
  `create table quota (
     name text not null, subject text not null, ends_at bigint not null, count bigint not null,
     amount bigint not null, primary key (name, subject)) ${clustered}`,
  'create index quota_ends_at on quota (ends_at)',
]
