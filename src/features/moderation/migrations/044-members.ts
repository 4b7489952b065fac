import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Accounts that moderate beside the operator, and what members say against decisions. */
export const MEMBER_MIGRATION = ({ bytes, clustered, rowKey }: Dialect) => [
  `create table staff (
     fid bigint not null primary key, role text not null, since bigint not null, appointed_by text not null) ${clustered}`,
  `create table moderation_appeal (
     id ${rowKey}, fid bigint not null, decision bigint not null, action text not null, cast_hash ${bytes},
     text text not null, state text not null, created_at bigint not null, answered_at bigint, outcome text,
     answer text, answered_by text)`,
  'create index moderation_appeal_state on moderation_appeal (state, id)',
  'create index moderation_appeal_fid on moderation_appeal (fid, id)',
]
