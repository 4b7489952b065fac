import type { Dialect } from '../engines/engine.ts'

/**
 * What an app asks for that wants a gasless key: the types of messages, and the time without use after which it ends. And
 * fids that are registered in advance, for the users of apps.
 */
export const GASLESS_REQUEST_MIGRATION = ({ clustered }: Dialect) => [
  'alter table signed_key_request add column scopes text',
  'alter table signed_key_request add column ttl bigint',
  `create table app_fid (
     id text not null, app text not null, fid bigint, reserved_until bigint not null, primary key (id)) ${clustered}`,
  'create unique index app_fid_fid on app_fid (fid)',
]
