import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Words and domains for which casts wait for a moderator, and the casts that wait. */
export const HELD_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table held_term (
     kind text not null, term text not null, added_by text not null, added_at bigint not null,
     primary key (kind, term)) ${clustered}`,
  `create table held_cast (
     hash ${bytes} not null primary key, fid bigint not null, term text not null, held_at bigint not null,
     state text not null) ${clustered}`,
  'create index held_cast_fid on held_cast (fid)',
  'create index held_cast_state on held_cast (state, held_at)',
]
