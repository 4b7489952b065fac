import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/**
 * Channels of sign-ins keep no address of their page any more, because it contains the token. Signed requests about sealed
 * keys count once. Times in Unix seconds.
 */
export const SIGNED_ONCE_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // First, so that the embedded store overwrites the bytes (secure_delete).
  "update sign_in_channel set url = ''",
  'alter table sign_in_channel drop column url',
  `create table sealed_key_request (
     fid bigint not null, digest ${bytes} not null, custody ${bytes} not null, deadline bigint not null,
     primary key (fid, digest)) ${clustered}`,
  'create index sealed_key_request_deadline on sealed_key_request (deadline)',
]
