import type { Dialect } from '../engines/engine.ts'

/** Blocks. */
export const BLOCK_MIGRATION = ({ clustered }: Dialect) => [
  `create table block (
     blocker bigint not null, blocked bigint not null, created_at bigint not null,
     primary key (blocker, blocked), check (blocker <> blocked)) ${clustered}`,
  'create index block_newest on block (created_at desc, blocker, blocked)',
  'create index block_newest_of on block (blocker, created_at desc, blocked)',
]
