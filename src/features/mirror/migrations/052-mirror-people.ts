import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Who is mirrored for which reason, what the source allows them, and submits that the source has not confirmed. */
export const MIRROR_PEOPLE_MIGRATION = ({ bytes, clustered }: Dialect) => [
  'alter table mirror_fid add column asks bigint not null default 0',
  'alter table mirror_fid add column left_at bigint not null default 0',
  `alter table mirror_fid add column limits text not null default '[]'`,
  'alter table mirror_rule add column cap bigint not null default 0',
  `create table mirror_member (
     rule bigint not null, fid bigint not null,
     primary key (rule, fid)) ${clustered}`,
  'create index mirror_member_fid on mirror_member (fid)',
  `create table mirror_outbox (
     hash ${bytes} not null, fid bigint not null, bytes ${bytes} not null, sent_at bigint not null,
     due_at bigint not null, tries bigint not null,
     primary key (hash)) ${clustered}`,
  'create index mirror_outbox_due on mirror_outbox (due_at)',
]
