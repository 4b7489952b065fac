import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What users have seen, and requests that have one result. */
export const SEEN_AND_IDEM_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // Up to when a user has seen the notifications of a kind, in network seconds.
  `create table app_seen (
     app text not null, fid bigint not null, kind text not null, seen_at bigint not null,
     primary key (app, fid, kind)) ${clustered}`,
  // The message that answered the first request with this id. slot: where the message is.
  `create table app_idem (
     app text not null, idem text not null, fid bigint not null, hash ${bytes} not null,
     slot ${bytes} not null, created_at bigint not null, primary key (app, idem)) ${clustered}`,
  'create index app_idem_created on app_idem (created_at)',
]
