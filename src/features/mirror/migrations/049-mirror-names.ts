import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** ENS names and basenames of which a mirror has no message, only the word of its source. */
export const MIRROR_NAME_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table mirror_name (
     name ${bytes} not null, fid bigint not null, owner ${bytes} not null, timestamp bigint not null,
     signature ${bytes} not null, type bigint not null,
     primary key (name)) ${clustered}`,
  'create index mirror_name_fid on mirror_name (fid)',
]
