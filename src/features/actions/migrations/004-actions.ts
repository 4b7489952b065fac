import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Actions and who has installed them. */
export const ACTION_MIGRATION = ({ rowKey, clustered }: Dialect) => [
  // installs: the rows of installed_action, counted in the transaction that changes them.
  // looked_at: when its document was last asked for; fault: what was wrong with it then.
  `create table action (
     id ${rowKey}, url text not null unique, kind text not null, name text not null,
     icon text not null, description text not null, about_url text, image_url text,
     post_url text not null, installs bigint not null, looked_at bigint not null, fault text,
     check (installs >= 0), check (kind in ('cast', 'composer')))`,
  'create index action_top on action (kind, installs desc, id)',
  'create index action_looked_at on action (looked_at, id)',
  `create table installed_action (
     fid bigint not null, action_id bigint not null, installed_at bigint not null,
     primary key (fid, action_id)) ${clustered}`,
  'create index installed_action_id on installed_action (action_id)',
  // The operator's order, from 1.
  `create table featured_action (
     position bigint not null primary key, action_id bigint not null unique) ${clustered}`,
]
