import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** What a mirror knows about the hub that it follows, the people whom it reads, and the messages that it did not take. */
export const MIRROR_MIGRATION = ({ bytes, clustered }: Dialect) => [
  `create table mirror_source (
     name text not null, kind text not null, host text not null, version text not null, network bigint not null,
     shards bigint not null, since bigint not null, complete_at bigint not null, paused bigint not null, stopped text,
     primary key (name)) ${clustered}`,
  `create table mirror_shard (
     shard bigint not null, cursor bigint not null, block_number bigint not null, block_hash ${bytes} not null,
     at bigint not null, gaps_seen bigint not null, gaps_repaired bigint not null, gaps_pruned bigint not null,
     primary key (shard)) ${clustered}`,
  `create table mirror_fid (
     fid bigint not null, state text not null, due_at bigint not null, read_at bigint not null,
     checked_at bigint not null, counts text not null, failures bigint not null,
     primary key (fid)) ${clustered}`,
  'create index mirror_fid_due on mirror_fid (due_at)',
  'create index mirror_fid_state on mirror_fid (state, checked_at)',
  `create table mirror_rule (
     id bigint not null, kind text not null, value text not null, added_at bigint not null,
     resolved_at bigint not null, people bigint not null, error text,
     primary key (id)) ${clustered}`,
  `create table mirror_quarantine (
     fid bigint not null, hash ${bytes} not null, reason text not null, detail text not null, bytes ${bytes} not null,
     first_seen bigint not null, last_seen bigint not null, tries bigint not null,
     primary key (fid, hash)) ${clustered}`,
  'create index mirror_quarantine_reason on mirror_quarantine (reason)',
  `create table mirror_withheld (
     fid bigint not null, reason text not null, messages bigint not null,
     primary key (fid, reason)) ${clustered}`,
]
