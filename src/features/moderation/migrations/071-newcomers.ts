import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What new accounts may send. */
export const NEWCOMER_MIGRATION = ({ clustered }: Dialect) => [
  `create table newcomer_rule (
     name text not null primary key, days bigint not null, posts bigint, links bigint, mentions bigint,
     changed_at bigint not null, changed_by text not null) ${clustered}`,
]
