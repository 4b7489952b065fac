import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Mini apps: the catalogue, who has added and opened which, notifications, and events for the servers of apps. */
export const MINI_APP_MIGRATION = ({ rowKey, clustered }: Dialect) => [
  // people, openers: rows of added_mini_app and mini_app_use, counted in the transaction that changes them.
  `create table mini_app (
     id ${rowKey}, domain text not null unique, author_fid bigint not null, state text not null, name text not null,
     category text, noindex bigint not null, words text not null, manifest text not null,
     people bigint not null, openers bigint not null, created_at bigint not null, looked_at bigint not null,
     good_at bigint not null, fault text, check (people >= 0), check (openers >= 0))`,
  'create index mini_app_top on mini_app (state, openers desc, people desc, id)',
  'create index mini_app_new on mini_app (state, created_at desc, id)',
  'create index mini_app_author on mini_app (author_fid, id)',
  'create index mini_app_looked_at on mini_app (looked_at, id)',
  // The operator's order, from 1.
  `create table featured_mini_app (
     position bigint not null primary key, app_id bigint not null unique) ${clustered}`,
  `create table added_mini_app (
     fid bigint not null, app_id bigint not null, added_at bigint not null, notifies bigint not null,
     changed_at bigint not null, primary key (fid, app_id)) ${clustered}`,
  'create index added_mini_app_id on added_mini_app (app_id, fid)',
  `create table mini_app_use (
     fid bigint not null, app_id bigint not null, opened_at bigint not null,
     primary key (fid, app_id)) ${clustered}`,
  'create index mini_app_use_opened on mini_app_use (opened_at)',
  'create index mini_app_use_recent on mini_app_use (fid, opened_at desc, app_id)',
  'create index mini_app_use_id on mini_app_use (app_id, fid)',
  `create table mini_app_person (fid bigint not null primary key, hides_use bigint not null) ${clustered}`,
  `create table mini_app_token (
     token text not null primary key, fid bigint not null, app_id bigint not null, state text not null,
     changed_at bigint not null) ${clustered}`,
  'create index mini_app_token_of on mini_app_token (app_id, fid)',
  'create index mini_app_token_fid on mini_app_token (fid)',
  'create index mini_app_token_state on mini_app_token (state, changed_at)',
  `create table mini_app_notice (
     fid bigint not null, app_id bigint not null, notification_id text not null, title text not null,
     body text not null, target_url text not null, created_at bigint not null, seen_at bigint,
     primary key (fid, app_id, notification_id)) ${clustered}`,
  'create index mini_app_notice_newest on mini_app_notice (fid, created_at desc, app_id, notification_id)',
  'create index mini_app_notice_id on mini_app_notice (app_id, fid, created_at desc)',
  'create index mini_app_notice_created on mini_app_notice (created_at)',
  `create table mini_app_event (
     id text not null primary key, fid bigint not null, app_id bigint not null, event text not null,
     payload text not null, expires_at bigint not null) ${clustered}`,
  'create index mini_app_event_expires on mini_app_event (expires_at)',
  'create index mini_app_event_fid on mini_app_event (fid, expires_at)',
  `create table mini_app_delivery (
     app_id bigint not null, n bigint not null, fid bigint not null, event text not null, body text not null,
     state text not null, attempts bigint not null, due bigint not null, queued_at bigint not null,
     answer text, ended_at bigint, primary key (app_id, n)) ${clustered}`,
  'create index mini_app_delivery_state on mini_app_delivery (state, app_id, n)',
  'create index mini_app_delivery_ended on mini_app_delivery (ended_at)',
  'create index mini_app_delivery_fid on mini_app_delivery (fid)',
]
