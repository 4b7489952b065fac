import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Starter packs with their members. */
export const STARTER_PACK_MIGRATION = ({ clustered }: Dialect) => [
  `create table starter_pack (
     id text not null primary key, name text not null, description text not null, image_url text not null,
     creator_fid bigint not null, created_at bigint not null, member_count bigint not null,
     check (member_count >= 0)) ${clustered}`,
  'create index starter_pack_newest on starter_pack (created_at desc, id)',
  'create index starter_pack_newest_of on starter_pack (creator_fid, created_at desc, id)',
  `create table starter_pack_member (
     pack_id text not null, fid bigint not null, member_at bigint not null,
     primary key (pack_id, fid)) ${clustered}`,
  'create index starter_pack_member_newest on starter_pack_member (pack_id, member_at desc, fid)',
  'create index starter_pack_member_fid on starter_pack_member (fid, pack_id)',
]
