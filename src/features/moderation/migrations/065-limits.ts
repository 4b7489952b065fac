import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Accounts that strangers are not shown, suspensions that end by themselves, and notes of moderators. */
export const LIMIT_MIGRATION = ({ clustered, rowKey }: Dialect) => [
  `create table account_limit (fid bigint not null primary key, since bigint not null) ${clustered}`,
  `create table suspension_end (fid bigint not null primary key, ends_at bigint not null) ${clustered}`,
  'create index suspension_end_at on suspension_end (ends_at)',
  `create table moderation_note (
     id ${rowKey}, fid bigint not null, at bigint not null, author text not null, text text not null)`,
  'create index moderation_note_fid on moderation_note (fid, id)',
]
