import type { Dialect } from '../../../kernel/storage/engines/engine.ts'

/** Names: their transfers and who holds them. */
export const REGISTRY_MIGRATION = ({ bytes, rowKey, clustered }: Dialect) => [
  // Two transfers of a name at one time would have the same server signature: followers of the
  // log would take the second for a repeat of the first.
  `create table name_transfer (
     id ${rowKey}, timestamp bigint not null, username text not null, owner ${bytes} not null,
     from_fid bigint not null, to_fid bigint not null, user_signature ${bytes} not null,
     server_signature ${bytes} not null, acting_fid bigint not null,
     check (from_fid <> to_fid), unique (username, timestamp))`,
  'create index name_transfer_time on name_transfer (timestamp, id)',
  'create index name_transfer_from on name_transfer (from_fid, id)',
  'create index name_transfer_to on name_transfer (to_fid, id)',
  // Who holds what now: one holder a name, one name a fid.
  `create table name_holder (
     username text not null primary key, fid bigint not null unique,
     transfer_id bigint not null, check (fid > 0)) ${clustered}`,
]
