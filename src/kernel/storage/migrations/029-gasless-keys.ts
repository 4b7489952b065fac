import type { Dialect } from '../engines/engine.ts'

/** What KEY_ADD messages do not say: when a key was last used, and which nonces are used up. */
export const GASLESS_KEY_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table gasless_key (
     key ${bytes} not null, fid bigint not null, request_fid bigint not null, last_used_at bigint not null,
     primary key (key)) ${clustered}`,
  'create index gasless_key_fid on gasless_key (fid, key)',
  `create table gasless_key_nonce (
     fid bigint not null, user_nonce bigint not null, app_nonce bigint not null, primary key (fid)) ${clustered}`,
]
