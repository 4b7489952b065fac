import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** The log of what operators do, and what users report. */
export const RECORD_MIGRATION = ({ bytes, rowKey }: Dialect) => [
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
