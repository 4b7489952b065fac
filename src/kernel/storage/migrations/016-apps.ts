import type { Dialect } from '../engines/engine.ts'

/** Apps of the app API, their keys, and whom they and their users hide. Nothing of it is derived. */
export const APP_MIGRATION = ({ bytes, clustered }: Dialect) => [
  // Limits a minute; null: those of the server.
  `create table app (
     uuid text not null primary key, name text not null, fid bigint not null,
     read_limit bigint, write_limit bigint, search_limit bigint,
     created_at bigint not null) ${clustered}`,
  // Only the hash of a key is stored.
  `create table app_key (
     hash ${bytes} not null primary key, app text not null, created_at bigint not null,
     revoked_at bigint) ${clustered}`,
  'create index app_key_app on app_key (app, created_at)',

  `create table app_mute (
     app text not null, fid bigint not null, muted_fid bigint not null, muted_at bigint not null,
     primary key (app, fid, muted_fid)) ${clustered}`,
  'create index app_mute_newest on app_mute (app, fid, muted_at desc, muted_fid)',
  `create table app_ban (
     app text not null, fid bigint not null, banned_at bigint not null,
     primary key (app, fid)) ${clustered}`,
  'create index app_ban_newest on app_ban (app, banned_at desc, fid)',
  // The blocks of those who blocked a fid.
  'create index block_newest_by on block (blocked, created_at desc, blocker)',
]
