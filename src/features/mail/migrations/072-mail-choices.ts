import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What members want to be told, changes of addresses that wait, and addresses that want no links. Times in Unix ms. */
export const MAIL_CHOICES_MIGRATION = ({ bytes, clustered }: Dialect) => [
  'alter table mail_address add column refusals bigint not null default 0',
  'alter table mail_address add column decisions bigint not null default 1',
  'alter table mail_address add column reports bigint not null default 1',
  'alter table mail_address add column reports_told_at bigint not null default 0',
  "alter table mail_address add column digest text not null default 'off'",
  'alter table mail_address add column digest_due bigint',
  'create index mail_address_digest_due on mail_address (digest_due)',
  `create table mail_change (
     fid bigint not null primary key, address text, custody ${bytes} not null, due bigint not null) ${clustered}`,
  'create index mail_change_due on mail_change (due)',
  `create table mail_refused (name text not null primary key, ends_at bigint not null) ${clustered}`,
  'create index mail_refused_ends_at on mail_refused (ends_at)',
]
