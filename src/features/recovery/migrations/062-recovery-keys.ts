import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** A key may ask for several accounts: each is a request of its own. Times in Unix seconds. */
export const RECOVERY_KEY_MIGRATION = ({ bytes, clustered }: Dialect) => [
  'drop index recovery_fid',
  'alter table recovery rename to earlier_recovery',
  `create table recovery (
     receiver ${bytes} not null, fid bigint not null, deadline bigint not null,
     signature ${bytes} not null, note text not null, asked_at bigint not null, provider text not null,
     due_at bigint, primary key (receiver, fid)) ${clustered}`,
  `insert into recovery (receiver, fid, deadline, signature, note, asked_at, provider, due_at)
     select receiver, fid, deadline, signature, note, asked_at, '', due_at from earlier_recovery`,
  'drop table earlier_recovery',
  'create index recovery_fid on recovery (fid, asked_at)',
]
