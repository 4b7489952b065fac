import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What was read of accounts of a forked network. */
export const FORK_MIGRATION = ({ clustered }: Dialect) => [
  `create table fork_account (
     fid bigint not null, level bigint not null, read_at bigint not null,
     primary key (fid)) ${clustered}`,
]
