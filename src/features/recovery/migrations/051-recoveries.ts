import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Requests to move accounts to new keys by the recovery service of the server. Times in Unix seconds. */
export const RECOVERY_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table recovery (
     receiver ${bytes} not null primary key, fid bigint not null, deadline bigint not null,
     signature ${bytes} not null, note text not null, asked_at bigint not null, due_at bigint) ${clustered}`,
  'create index recovery_fid on recovery (fid, asked_at)',
]
