/** Tables that had a shard in each row and in their keys, with their keys without it. */
const SHARDED_TABLES = {
  message: 'id',
  event: 'id',
  mention: 'mentioned, timestamp, hash, fid',
  usage: 'fid, store',
  chain_event: 'fid, type, block_number, log_index',
  custody: 'fid',
  signer: 'fid, key',
  storage_rent: 'fid, block_number, log_index',
} as const

const WITHOUT_SHARDS = [
  'drop index message_slot',
  ...Object.entries(SHARDED_TABLES).flatMap(([table, key]) => [
    `alter table ${table} drop constraint ${table}_pkey`,
    `alter table ${table} drop column shard`,
    `alter table ${table} add primary key (${key})`,
  ]),
  'create unique index message_slot on message (slot)',
  // Each shard had a count of its own.
  `update row_total t set value = t.value + s.value from (
     select split_part(name, '/', 1) as name, sum(value) as value
       from row_total where name like '%/%' group by 1) s
    where t.name = s.name`,
  `delete from row_total where name like '%/%'`,
  // Each shard had a lock of its own.
  `delete from lock where name like 'hub %'`,
  `delete from cursor where name = 'shards'`,
]

/**
 * Merges the shards of a PostgreSQL store that was created with several. Event ids were unique across shards, so no event
 * changes. Stores with one shard are left unchanged.
 */
export const ONE_SHARD_MIGRATION = [
  `do $migration$ begin
     if exists (select 1 from cursor where name = 'shards') then
       ${WITHOUT_SHARDS.join(';\n       ')};
     end if;
   end $migration$`,
]
