import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Casts that are answered or quoted by casts of chosen people, and the people whose casts refer to them. */
export const MIRROR_CONTEXT_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table mirror_context_cast (
     fid bigint not null, hash ${bytes} not null, state text not null, above bigint not null,
     primary key (fid, hash)) ${clustered}`,
  'create index mirror_context_cast_state on mirror_context_cast (state)',
  `create table mirror_context (
     fid bigint not null, hash ${bytes} not null, whose bigint not null,
     primary key (fid, hash, whose)) ${clustered}`,
  'create index mirror_context_whose on mirror_context (whose)',
]
