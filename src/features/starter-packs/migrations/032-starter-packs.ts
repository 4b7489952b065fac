import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** A profile entry's slot: the set (1 byte), the fid (4), the type of the entry (1). */
const ENTRY = 'substr(m.slot, 6, 1)'
const EPOCH_SECONDS = 1_609_459_200

const backfill = (
  platform: string,
  type: string,
) => `insert into linked_account (fid, platform, verified_at)
  select m.fid, '${platform}', m.timestamp + ${EPOCH_SECONDS} from message m
   where m.store = 4 and m.type = 11 and ${ENTRY} = ${type}`

/** Starter packs with their members, and which profiles name an account on another platform. */
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
  `create table linked_account (
     fid bigint not null, platform text not null, verified_at bigint not null,
     primary key (fid, platform)) ${clustered}`,
  'create index linked_account_newest on linked_account (platform, verified_at desc, fid)',
]
export const EMBEDDED_LINKED_ACCOUNT_MIGRATION = [
  backfill('x', "x'08'"),
  backfill('github', "x'09'"),
]
export const SERVER_LINKED_ACCOUNT_MIGRATION = [
  backfill('x', "decode('08', 'hex')"),
  backfill('github', "decode('09', 'hex')"),
]
