import type { Dialect } from '../../engines/engine.ts'

/** Names of Ethereum that a mirrored hub says people have, without the messages that prove it. */
export const MIRROR_NAME_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table mirror_name (
     name ${bytes} not null, fid bigint not null, owner ${bytes} not null, timestamp bigint not null,
     signature ${bytes} not null, type bigint not null,
     primary key (name)) ${clustered}`,
  'create index mirror_name_fid on mirror_name (fid)',
]
