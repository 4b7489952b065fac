import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Signed requests about sealed keys count once. Times in Unix seconds. */
export const SEALED_KEY_REQUEST_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table sealed_key_request (
     fid bigint not null, digest ${bytes} not null, custody ${bytes} not null, deadline bigint not null,
     primary key (fid, digest)) ${clustered}`,
  'create index sealed_key_request_deadline on sealed_key_request (deadline)',
]
