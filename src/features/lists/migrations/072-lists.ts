import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Tags that members follow, and their lists of people. */
export const LIST_MIGRATION = ({ clustered }: Dialect) => [
  `create table followed_tag (
     fid bigint not null, folded text not null, tag text not null, followed_at bigint not null,
     primary key (fid, folded)) ${clustered}`,
  `create table people_list (
     fid bigint not null, id text not null, name text not null, made_at bigint not null,
     primary key (fid, id)) ${clustered}`,
  `create table people_list_member (
     fid bigint not null, list_id text not null, member_fid bigint not null, added_at bigint not null,
     primary key (fid, list_id, member_fid)) ${clustered}`,
  'create index people_list_member_of on people_list_member (member_fid)',
]
