import type { Dialect } from '../engines/engine.ts'

/** What the operator hides and erases, the log of it, and what users report. */
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
  `create table moderation_log (
     id ${rowKey}, at bigint not null, actor text not null, action text not null, fid bigint,
     cast_hash ${bytes}, name text, reason text not null)`,
  'create index moderation_log_fid on moderation_log (fid, id)',
  `create table moderation_report (
     id ${rowKey}, reporter_fid bigint not null, fid bigint not null, cast_hash ${bytes},
     reason text not null, state text not null, created_at bigint not null, resolved_at bigint,
     resolution text, check (state in ('open', 'resolved')))`,
  'create index moderation_report_state on moderation_report (state, id)',
  'create index moderation_report_reporter on moderation_report (reporter_fid, created_at)',
]
