import type { Dialect } from '../engines/engine.ts'

/** What the operator hides and erases. */
export const MODERATION_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // hidden: suspended or erasing. erased_before: network seconds; messages up to then are refused for good.
  // erase_deadline: of the last signed request for erasure that was accepted.
  `create table account_moderation (
     fid bigint not null primary key, suspended bigint not null, erasing bigint not null,
     hidden bigint not null, erased_before bigint not null, erase_deadline bigint not null,
     changed_at bigint not null) ${clustered}`,
  'create index account_moderation_hidden on account_moderation (fid) where hidden = 1',
  'create index account_moderation_suspended on account_moderation (fid) where suspended = 1',
  `create table hidden_cast (
     hash ${bytes} not null primary key, fid bigint not null, hidden_at bigint not null) ${clustered}`,
  // Work on all messages of an account, in batches. position: the page token of the last batch.
  `create table moderation_task (
     id ${rowKey}, fid bigint not null, kind text not null, step bigint not null, position ${bytes},
     check (kind in ('revoke', 'merge', 'erase')))`,
]
