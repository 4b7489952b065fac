import type { Dialect } from '../engines/engine.ts'

/** Apps of the app API, their keys, and what they and their users decided there. Nothing of it is derived. */
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

  // secret: sealed; null for keys that the app keeps itself, and after the key was removed.
  // request: the token of the signed key request.
  `create table app_signer (
     uuid text not null primary key, app text not null, public_key ${bytes} not null,
     managed bigint not null, status text not null, fid bigint, secret ${bytes}, request text,
     created_at bigint not null, changed_at bigint not null,
     check (status in ('generated', 'pending_approval', 'approved', 'revoked'))) ${clustered}`,
  'create unique index app_signer_key on app_signer (public_key, app)',
  'create index app_signer_app on app_signer (app, created_at)',
  `create index app_signer_waiting on app_signer (created_at)
     where status in ('generated', 'pending_approval')`,

  `create table app_mute (
     app text not null, fid bigint not null, muted_fid bigint not null, muted_at bigint not null,
     primary key (app, fid, muted_fid)) ${clustered}`,
  'create index app_mute_newest on app_mute (app, fid, muted_at desc, muted_fid)',
  `create table app_ban (
     app text not null, fid bigint not null, banned_at bigint not null,
     primary key (app, fid)) ${clustered}`,
  'create index app_ban_newest on app_ban (app, banned_at desc, fid)',
  // Up to when a user has seen the notifications of a kind, in network seconds.
  `create table app_seen (
     app text not null, fid bigint not null, kind text not null, seen_at bigint not null,
     primary key (app, fid, kind)) ${clustered}`,
  // The message that answered the first request with this id. slot: where the message is.
  `create table app_idem (
     app text not null, idem text not null, fid bigint not null, hash ${bytes} not null,
     slot ${bytes} not null, created_at bigint not null, primary key (app, idem)) ${clustered}`,
  'create index app_idem_created on app_idem (created_at)',

  // filters: JSON. secret: sealed. fault: why the server switched it off.
  `create table app_webhook (
     id text not null primary key, app text not null, title text not null,
     target_url text not null, active bigint not null, filters text not null,
     subscription_id text not null, secret_id text not null, secret ${bytes} not null, fault text,
     created_at bigint not null, updated_at bigint not null) ${clustered}`,
  // The blocks of those who blocked a fid.
  'create index block_newest_by on block (blocked, created_at desc, blocker)',
  'create index app_webhook_app on app_webhook (app, created_at, id)',
]
