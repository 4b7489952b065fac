import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Custody keys that were made in browsers, sealed there. Times in Unix ms. */
export const SEALED_KEY_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table sealed_key (
     id text not null primary key, fid bigint not null, custody ${bytes} not null, kind text not null,
     site text not null, salt ${bytes} not null, proof ${bytes} not null, sealed ${bytes} not null,
     created_at bigint not null, used_at bigint) ${clustered}`,
  'create index sealed_key_fid on sealed_key (fid)',
]
